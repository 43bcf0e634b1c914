// Topics, their pieces and their epochs by key; epochs of a collection, and topics of a level and within another.
CREATE CONSTRAINT topic_key IF NOT EXISTS FOR (t:FactTopic) REQUIRE t.key IS UNIQUE;
CREATE CONSTRAINT topic_piece_key IF NOT EXISTS FOR (p:FactTopicPiece) REQUIRE p.key IS UNIQUE;
CREATE CONSTRAINT topic_epoch_id IF NOT EXISTS FOR (e:FactTopicEpoch) REQUIRE e.id IS UNIQUE;
CREATE INDEX topic_epoch_collection IF NOT EXISTS FOR (e:FactTopicEpoch) ON (e.collection);
CREATE INDEX topic_level IF NOT EXISTS FOR (t:FactTopic) ON (t.epoch, t.level);
CREATE INDEX topic_parent IF NOT EXISTS FOR (t:FactTopic) ON (t.epoch, t.parent)
