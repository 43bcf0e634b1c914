// Those of some contents that a chunk of any document has, but for one document's own.
UNWIND $contents AS content
WITH content WHERE EXISTS {
  MATCH (c:Chunk {content_hash: content})
  WHERE NOT EXISTS { (c)<-[:HAS_CHUNK|HAS_HIDDEN_CHUNK]-(:Document {id: $besides}) }
}
RETURN content
