// Tells whether the server offers apoc.meta.data to this user.
SHOW PROCEDURES YIELD name WHERE name = 'apoc.meta.data'
RETURN count(*) > 0 AS there
