"""A small story as a graph, in one collection: characters with aliases, relations in time, major events."""

STORY = """
CREATE (mara:Character {name: 'Mara Venn', aliases: ['Mara', 'the lamplighter', '瑪拉'],
    description: 'Keeper of the lamp at Saltmere.'}),
  (corvin:Character {name: 'Corvin Hale', aliases: ['the Captain']}),
  (zoe:Character {name: 'Zoë Ångström', aliases: ['Zoë']}),
  (li:Character {name: '李明', aliases: ['Li Ming', '明哥']}),
  (hong:Character {name: '홍길동'}), (gai:Character {name: 'ガイウス', aliases: ['Гай']}),
  (soren:Character {name: 'Søren Weiß', aliases: ['Łukasz']}),
  (annaB:Character {name: 'Anna Berg'}),
  (annaK:Character {name: 'Anna Kurz', aliases: ['Anni']}),
  (guild:Organization {name: 'The Lamplighters', description: 'A guild that keeps the harbour lights.'}),
  (mercury:Item {name: 'Mercury'}), (mercuryBay:Place {name: 'Mercury'}),
  (lamp:Item {name: "Keeper's `Lamp`"}),
  (saltmere:Place {name: 'Saltmere'}), (norland:Nation {name: 'Norland'}),
  (mara)-[:MEMBER_OF {chapter: 1, order: 1, evidence: 'She swore the oath by the lamp.'}]->(guild),
  (corvin)-[:LEADER_OF {chapter: 2, order: 1}]->(guild),
  (mara)-[:ENEMY_OF {chapter: 2, order: 2, evidence: 'She struck his hand from the wheel.'}]->(corvin),
  (mara)-[:FRIEND_OF {chapter: 10, order: 1, evidence: 'They shared the last of the oil.'}]->(corvin),
  (mara)-[:FAMILY_OF]->(zoe),
  (zoe)-[:LIVES_IN]->(norland), (li)-[:LIVES_IN]->(norland),
  (li)-[:FRIEND_OF {date: date('1891-05-02')}]->(annaB),
  (li)-[:OWNS {date: date('1890-01-01')}]->(mercury),
  (lamp)-[:KEPT_AT]->(saltmere), (mara)-[:OWNS {chapter: 1, order: 2}]->(lamp),
  (oath:MajorEvent {name: 'The oath', event_type: 'milestone', chapter: 1, order: 1,
    summary: 'Mara becomes a lamplighter.', evidence: 'She swore the oath by the lamp.'}),
  (storm:MajorEvent {name: 'The storm', event_type: 'sacrifice', chapter: 10, order: 1,
    summary: 'Mara gives up the lamp to save the ship.'}),
  (wheel:MajorEvent {name: 'The fight at the wheel', event_type: 'conflict', chapter: 2, order: 2,
    summary: 'Mara and the Captain fight for the wheel.', evidence: 'She struck his hand from the wheel.'}),
  (mara)-[:EXPERIENCES {role: 'novice', outcome: 'is sworn in'}]->(oath),
  (mara)-[:EXPERIENCES {role: 'rescuer', outcome: 'loses the lamp'}]->(storm),
  (corvin)-[:EXPERIENCES {role: 'rescued', outcome: 'lives'}]->(storm),
  (mara)-[:EXPERIENCES {role: 'challenger', outcome: 'takes the ship'}]->(wheel),
  (corvin)-[:EXPERIENCES {role: 'captain', outcome: 'loses the ship'}]->(wheel)
WITH [mara, corvin, zoe, li, hong, gai, soren, annaB, annaK, guild, mercury, mercuryBay, lamp, saltmere,
  norland, oath, storm, wheel] AS all
UNWIND all AS n
SET n.collection = $collection
"""
FORGET = "MATCH (n) WHERE n.collection = $collection DETACH DELETE n"
