// Adds which finest topic holds each fact, in pieces by the beginnings of the facts' ids.
MATCH (e:FactTopicEpoch {id: $epoch})
SET e.touched = timestamp(), e.digits = $digits
// Read under the lock.
WITH e WHERE e.retired IS NULL
CALL () {
  UNWIND $pieces AS one
  MERGE (p:FactTopicPiece {key: one.key})
  SET p.homes = coalesce(p.homes, []) + [home IN one.homes WHERE NOT home IN coalesce(p.homes, [])]
  RETURN count(p) AS pieces
}
RETURN pieces
