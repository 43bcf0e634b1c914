// Facts are found by their elements, chunks and vectors; nobody searches them by words.
DROP INDEX fact_words IF EXISTS
