// Marks full names that short ones may stand for: who brings more of them looks at their names.
UNWIND $ids AS id
MATCH (k:KeyElement {id: id})
WHERE k.collection = $collection AND k.claimed IS NULL
WITH k ORDER BY k.id
SET k.claimed = true
// What is being written was not told that it is to look at this one when it becomes live.
WITH k
MATCH (k)<-[:HAS_KEY_ELEMENT]-()<-[:HAS_ATOMIC_FACT]-()<-[:HAS_HIDDEN_CHUNK]-(d)
WHERE d.named IS NULL
WITH DISTINCT d ORDER BY d.id
SET d.named = true
