// Creates key elements, or gives them more spellings.
UNWIND $elements AS row
MERGE (k:KeyElement {id: row.id})
SET k = row
