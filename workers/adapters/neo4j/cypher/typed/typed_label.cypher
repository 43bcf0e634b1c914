// Gives key elements labels.
UNWIND $labels AS row
MATCH (k:KeyElement {id: row.element})
SET k:$(row.labels)
