// Stores the detected languages of some documents' live versions where none are stored.
UNWIND $documents AS row
MATCH (d:Document {id: row.id})
REMOVE d.write_lock
WITH d, row WHERE d.live = row.version AND d.languages IS NULL
SET d.languages = CASE WHEN row.languages = [] THEN null ELSE row.languages END,
  d.no_languages = CASE WHEN row.languages = [] THEN true END
