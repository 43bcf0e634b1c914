// Creates facts.
UNWIND $facts AS row
CREATE (f:AtomicFact)
SET f = row
