// Returns the live chunks of some facts with those of their statements that name one of some elements.
UNWIND facts AS f
MATCH (f)<-[:HAS_ATOMIC_FACT]-(c)<-[:HAS_CHUNK]-()
WHERE c.stated IS NOT NULL
WITH DISTINCT c, concerned
WITH c, [line IN c.stated WHERE any(part IN split(line, '\t') WHERE part IN concerned)] AS lines
RETURN collect({c: c, lines: lines}) AS statements
