// Yields every node of the graph for a backup, but the notes of migrations, and topics, which can be built anew.
MATCH (n) WHERE NOT n:Migration|FactTopic|FactTopicPiece|FactTopicEpoch
RETURN elementId(n) AS at, labels(n) AS labels, properties(n) AS properties
