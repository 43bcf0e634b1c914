// Returns the full-text indexes of nodes that can be searched now.
SHOW FULLTEXT INDEXES YIELD name, state, entityType, labelsOrTypes, properties
WHERE state = 'ONLINE' AND entityType = 'NODE'
RETURN name, labelsOrTypes AS labels, properties ORDER BY name
