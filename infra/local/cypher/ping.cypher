// Answers when the database takes queries.
RETURN 1 AS one
