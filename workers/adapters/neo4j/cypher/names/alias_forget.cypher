// Takes away what was noted of a name and no live chunk states any more.
UNWIND $stale AS row
MATCH (:KeyElement {id: row.alias})-[r:MAY_MEAN {chunk: row.chunk, line: row.line}]->()
// It may have become live again since it was read.
WHERE NOT EXISTS { (c:Chunk {id: row.chunk})<-[:HAS_CHUNK]-() WHERE row.line IN c.names }
DELETE r
