// Takes back major events that chunks told.
UNWIND $events AS row
MATCH (e:MajorEvent {id: row.id})
DETACH DELETE e
