// Says whether the graph holds nothing but the notes of migrations.
RETURN NOT EXISTS { MATCH (n) WHERE NOT n:Migration } AS empty
