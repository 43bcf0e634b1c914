// Makes the full-text index over the names of nodes; LABELS stands for labels of the schema.
CREATE FULLTEXT INDEX hopline_names IF NOT EXISTS FOR (n:LABELS) ON EACH [n.name, n.title, n.alias, n.aliases]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-folding'}}
