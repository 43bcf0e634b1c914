// Makes an epoch the newest of its collection's topics, unless another became that since this one was begun. Locks
// the epochs, by id: of two that are published at once the second sees the first.
MATCH (one:FactTopicEpoch)
WHERE one.collection = $collection
WITH one ORDER BY one.id
REMOVE one.write_lock
WITH collect(one) AS all
WITH [one IN all WHERE one.id = $id AND one.retired IS NULL] AS found,
  reduce(most = 0, one IN all | CASE WHEN one.number > most THEN one.number ELSE most END) AS newest
UNWIND found AS e
WITH e, newest WHERE e.number IS NOT NULL OR e.after = newest
SET e.number = coalesce(e.number, newest + 1), e += $record
RETURN e.number AS number
