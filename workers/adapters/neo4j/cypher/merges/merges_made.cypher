// Returns which key elements people merged: what documents state of names is left out.
MATCH (m:ElementMerge)
WHERE m.collection = $collection AND m.undone IS NULL AND m.job <> ''
RETURN m.source AS source, m.target AS target
