// Drops one constraint.
DROP CONSTRAINT $name IF EXISTS
