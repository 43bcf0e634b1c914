// Says whether the graph holds nothing but the notes of migrations, and topics of what is gone.
RETURN NOT EXISTS { MATCH (n) WHERE NOT n:Migration|FactTopic|FactTopicPiece|FactTopicEpoch } AS empty
