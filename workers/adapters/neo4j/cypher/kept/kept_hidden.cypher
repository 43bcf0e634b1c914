// Returns those of some documents of which a version later than a time is not what a filter means, or what is noted of
// versions that are not kept: who might see them, those of an earlier hopline beside the gap. An expression over d stands
// for the filter. A document that is being deleted counts as it was: what is noted of it may not be written whole yet.
MATCH (d:Document|KeptVersion|KeptGap|KeptLoss)
WHERE d.id IN $named AND CASE
    WHEN d:Document THEN d.live > 0 OR d.status = 'deleting'
    WHEN d:KeptVersion THEN d.state = 'kept' AND d.until > $at
    ELSE d.lost_until > $at
  END AND NOT ($where)
RETURN collect(DISTINCT d.id) AS hidden
