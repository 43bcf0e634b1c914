// Creates relationships of a backup between nodes that were restored.
UNWIND $rows AS row
MATCH (a:RestoredNode {restored_from: row.from})
MATCH (b:RestoredNode {restored_from: row.to})
CREATE (a)-[r:$(row.type)]->(b)
SET r = row.properties
RETURN count(r) AS made
