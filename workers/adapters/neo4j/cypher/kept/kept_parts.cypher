// Returns what some kept versions say, in parts.
UNWIND $keys AS key
MATCH (:KeptVersion {key: key})-[:HAS_KEPT_PART]->(part)
RETURN key, part.body AS body ORDER BY key, part.nth
