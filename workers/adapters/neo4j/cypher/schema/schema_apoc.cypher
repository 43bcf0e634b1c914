// Returns what apoc.meta.data finds of labels and types: their properties, and what each type joins.
CALL apoc.meta.data({sample: $sample, maxRels: $sample})
YIELD label, property, type, other, elementType
RETURN label, property, type, other, elementType
