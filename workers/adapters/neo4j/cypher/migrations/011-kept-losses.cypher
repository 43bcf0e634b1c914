// Who might see versions of a document that are not kept.
CREATE INDEX kept_loss_document IF NOT EXISTS FOR (l:KeptLoss) ON (l.id)
