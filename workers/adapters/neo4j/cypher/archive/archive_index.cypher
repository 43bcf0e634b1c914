// Makes the nodes of a restore found by what they were in the backup.
CREATE RANGE INDEX restored_node IF NOT EXISTS FOR (n:RestoredNode) ON (n.restored_from)
