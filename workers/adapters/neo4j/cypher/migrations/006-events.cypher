// Major events by id, and by words of their names; relations are found from the elements that they join.
CREATE CONSTRAINT event_id IF NOT EXISTS FOR (e:MajorEvent) REQUIRE e.id IS UNIQUE;
CREATE FULLTEXT INDEX event_names IF NOT EXISTS FOR (e:MajorEvent) ON EACH [e.name]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-folding'}}
