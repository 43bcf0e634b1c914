// Returns the epochs of a collection that are to go: but for the newest ones, and what is still being written.
MATCH (e:FactTopicEpoch)
WHERE e.collection = $collection
WITH e ORDER BY coalesce(e.number, 0) DESC
WITH collect(e) AS all
WITH [e IN all WHERE e.number IS NOT NULL][$kept..] AS old,
  [e IN all WHERE e.number IS NULL AND e.id <> $but
    AND (e.retired OR e.job = $job OR e.touched < timestamp() - $rest)] AS dead
UNWIND old + dead AS e
RETURN e.id AS id
