// Returns whether a collection has documents, live or not, or concept maps.
RETURN EXISTS { MATCH (d:Document) WHERE d.collection = $collection }
  OR EXISTS { MATCH (c:MappedConcept) WHERE c.collection = $collection } AS holds
