// Takes the marks of a restore off its nodes, some at a time.
MATCH (n:RestoredNode)
CALL (n) { REMOVE n:RestoredNode, n.restored_from } IN TRANSACTIONS OF 10000 ROWS
