// Takes back relations that chunks stated.
UNWIND $relations AS row
MATCH (a:KeyElement {id: row.source}), (b:KeyElement {id: row.target})
MATCH (a)-[relation]->(b)
WHERE type(relation) = row.type AND relation.chunk_id = row.chunk AND relation.fact_id = row.fact
DELETE relation
