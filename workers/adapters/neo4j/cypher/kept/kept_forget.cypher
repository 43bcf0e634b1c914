// Removes versions that were taken out.
UNWIND $keys AS key
MATCH (v:KeptVersion {key: key})
WHERE v.state = 'dropped'
OPTIONAL MATCH (v)-[:HAS_KEPT_PART]->(part)
DETACH DELETE part, v
