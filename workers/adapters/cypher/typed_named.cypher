// Returns the key elements that statements of chunks name, and those that they lead to.
UNWIND statements AS row
UNWIND row.lines AS line
UNWIND split(line, '\t') AS id
WITH DISTINCT id WHERE id STARTS WITH 'k'
MATCH (named:KeyElement {id: id})
OPTIONAL MATCH (named)-[:MERGED_INTO]->(target)
UNWIND [named, coalesce(target, named)] AS k
RETURN DISTINCT k
