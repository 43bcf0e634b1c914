// Takes kept versions out of what can be read, and notes of those that ended that they are not kept.
UNWIND $keys AS key
MATCH (v:KeptVersion {key: key})
REMOVE v.write_lock
WITH v WHERE v.state <> 'dropped'
FOREACH (kept IN CASE v.state WHEN 'kept' THEN [v] ELSE [] END |
  MERGE (g:KeptGap {id: kept.id})
    ON CREATE SET g.collection = kept.collection, g.lost_from = coalesce(kept.live_since, 0), g.lost_until = kept.until
    ON MATCH SET g.lost_from = CASE WHEN coalesce(kept.live_since, 0) < g.lost_from THEN coalesce(kept.live_since, 0)
        ELSE g.lost_from END,
      g.lost_until = CASE WHEN kept.until > g.lost_until THEN kept.until ELSE g.lost_until END
  MERGE (l:KeptLoss {id: kept.id, allow: coalesce(kept.meta_list_allow, [])})
    ON CREATE SET l.collection = kept.collection, l.lost_until = kept.until, l.meta_list_allow = kept.meta_list_allow
    ON MATCH SET l.lost_until = CASE WHEN kept.until > l.lost_until THEN kept.until ELSE l.lost_until END)
SET v.state = 'dropped'
