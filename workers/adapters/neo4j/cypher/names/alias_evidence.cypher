// Writes down why some merges stand that were made for another reason.
UNWIND $merges AS row
MATCH (m:ElementMerge {id: row.id})
WHERE m.collection = $collection AND m.undone IS NULL
SET m.rule = row.rule, m.evidence = row.evidence
