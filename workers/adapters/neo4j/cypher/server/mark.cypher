// Reads nothing: its bookmark names the last transaction that was committed.
RETURN 1
