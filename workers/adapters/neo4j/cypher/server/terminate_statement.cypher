// Ends the transaction that carries this mark, where it is still running and this user may end it.
SHOW TRANSACTIONS YIELD transactionId AS id, metaData
WHERE metaData.statement = $mark
TERMINATE TRANSACTIONS id YIELD message
RETURN message
