// Counts which of these films a database holds.
UNWIND $titles AS title MATCH (m:Movie {title: title}) RETURN count(DISTINCT title) AS films
