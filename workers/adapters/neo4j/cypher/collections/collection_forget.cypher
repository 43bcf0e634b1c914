// Removes some of what is kept for a collection besides documents; nothing where it has some.
MATCH (n:ElementMerge|DueVector|KeptSince|KeptGap|KeptLoss|MappedConcept|ConceptVersion)
WHERE n.collection = $collection AND NOT EXISTS { MATCH (d:Document) WHERE d.collection = $collection }
WITH n LIMIT $limit
DETACH DELETE n
RETURN count(*) AS removed
