// Holds a node of a statement that a model wrote to what documents of one collection made; NODE is its variable.
NODE.collection = $collection AND any(label IN labels(NODE) WHERE label IN $labels)
