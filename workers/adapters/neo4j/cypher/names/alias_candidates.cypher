// Writes down whom some names may mean that lead to nobody, by id.
UNWIND $names AS row
MATCH (k:KeyElement {id: row.id})
WHERE k.collection = $collection
WITH k, row ORDER BY k.id
SET k.may_mean = CASE row.may_mean WHEN [] THEN null ELSE row.may_mean END
