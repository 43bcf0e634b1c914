// Returns lines of fact and finest topic, of some facts.
MATCH (e:FactTopicEpoch {id: $epoch})
WHERE e.collection = $collection
UNWIND $facts AS fact
WITH e, substring(fact, 1, e.digits) AS part, collect(fact) AS asked
MATCH (p:FactTopicPiece {key: e.id + '/homes/' + part})
UNWIND [home IN p.homes WHERE split(home, ' ')[0] IN asked] AS home
RETURN home
