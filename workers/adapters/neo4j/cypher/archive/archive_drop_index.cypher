// Removes the index that a restore found its nodes by.
DROP INDEX restored_node IF EXISTS
