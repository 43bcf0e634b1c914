// Creates nodes of a backup, each with the mark that relationships find it by.
UNWIND $rows AS row
CREATE (n:RestoredNode:$(row.labels))
SET n = row.properties, n.restored_from = row.at
