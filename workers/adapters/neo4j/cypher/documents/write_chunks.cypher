// Writes chunks of some documents' versions, with facts and key elements, as hidden ones: of all, or nothing where one
// is not the newest. Locks documents, facts and elements, each by id.
CALL () {
  UNWIND $documents AS row
  MATCH (d:Document {id: row.id})
  REMOVE d.write_lock
  WITH d, row WHERE d.version = row.version AND d.content_hash = row.content_hash
  RETURN collect(d) AS documents
}
WITH documents WHERE size(documents) = size($documents)
CALL (documents) {
  UNWIND range(0, size(documents) - 1) AS nth
  WITH documents[nth] AS d, $documents[nth] AS row
  SET d.typed = CASE WHEN row.typed THEN true ELSE d.typed END, d.named = CASE WHEN row.named THEN true ELSE d.named END
  FOREACH (hidden IN CASE WHEN d.live < row.version THEN [d] ELSE [] END |
    SET hidden.status = 'extracted', hidden.error = null)
}
CALL (documents) {
  UNWIND $chunks AS row
  WITH row, documents[row.document] AS d, $documents[row.document] AS whole
  MERGE (c:Chunk {id: row.id})
    ON CREATE SET c.collection = $collection, c.scope = $scope, c.index = row.index, c.text = row.text,
      c.start = row.start, c.end = row.end, c.tokens = row.tokens, c.content_hash = row.content_hash,
      c.title = whole.title, c.pairs = row.pairs
  // By it the spans of the facts were found, which are written with it.
  SET c.splitter = row.splitter
  // The place in the new version; the node keeps its place and title in the live one until make_live. One link
  // per title: whoever takes it away takes this title from the facts.
  MERGE (d)-[hidden:HAS_HIDDEN_CHUNK {title_id: whole.title_id}]->(c)
  SET hidden.version = whole.version, hidden.index = row.index, hidden.start = row.start, hidden.end = row.end,
    hidden.places = row.places,
    // So does what it states of types, relations and events, with where the story stands there.
    hidden.chapter = row.chapter, hidden.order = row.order, hidden.stated = row.stated, hidden.names = row.names
  RETURN collect(c) AS chunks
}
CALL () {
  UNWIND $facts AS row
  MERGE (f:AtomicFact {id: row.id})
    ON CREATE SET f.collection = $collection, f.scope = $scope, f.text = row.text
  REMOVE f.write_lock
  RETURN collect(f) AS facts
}
// Some elements were merged into others: these are locked too, in the same order.
CALL () {
  UNWIND $elements AS row
  MATCH (:KeyElement {id: row.id})-[:MERGED_INTO]->(home)
  WITH DISTINCT home
  RETURN collect({id: home.id, name: home.name, aliases: [], home: true}) AS homes
}
CALL (homes) {
  WITH CASE homes WHEN [] THEN [] ELSE [row IN $elements | row.id] END AS written, homes
  UNWIND $elements + [home IN homes WHERE NOT home.id IN written] AS row
  WITH row ORDER BY row.id
  MERGE (k:KeyElement {id: row.id})
    ON CREATE SET k.collection = $collection, k.scope = $scope, k.name = row.name, k.aliases = row.aliases
  REMOVE k.write_lock
  RETURN collect(CASE WHEN row.home IS NULL THEN k END) AS elements,
    collect(CASE WHEN row.home THEN k END) AS others
}
// One of whose meaning documents state something: who brings more of it looks at it when it becomes live.
FOREACH (d IN CASE WHEN any(k IN elements WHERE k.claimed) THEN documents ELSE [] END | SET d.named = true)
WITH documents, chunks, facts, elements, others
// Under the locks nobody merges or undoes: home is where an element's facts go, itself unless it is a redirect.
CALL (elements) {
  UNWIND range(0, size(elements) - 1) AS nth
  WITH elements[nth] AS k, $elements[nth].aliases AS seen
  OPTIONAL MATCH (k)-[:MERGED_INTO]->(target)
  WITH k, seen, coalesce(target, k) AS home, coalesce(k.own_aliases, k.aliases) AS known
  WITH k, home, known, (known + [alias IN seen WHERE NOT alias IN known])[..$max_aliases] AS own
  WITH k, home, own, k.own_aliases IS NULL AS plain
  // The same value again is no change to the server: nothing is written or indexed.
  SET home.aliases = CASE WHEN k = home AND plain THEN own
    ELSE home.aliases + [alias IN own WHERE NOT alias IN home.aliases] END
  FOREACH (one IN CASE WHEN k <> home THEN [k] ELSE [] END | SET one.aliases = own)
  FOREACH (one IN CASE WHEN plain THEN [] ELSE [k] END | SET one.own_aliases = own)
  RETURN collect(home) AS homes_of
}
CALL (chunks, facts) {
  UNWIND $holds AS row
  WITH chunks[row[0]] AS c, facts[row[1]] AS f, row, $documents[$chunks[row[0]].document] AS whole
  MERGE (c)-[hold:HAS_ATOMIC_FACT]->(f)
  // Offsets within the chunk's text: they stay right when an edit before it moves the chunk.
  SET hold.start = row[2], hold.end = row[3], hold.match = row[4], hold.grounded = row[5],
    hold.version = whole.version, hold.named = row[6], hold.titled = row[7],
    // Texts that normalise to the same are one fact: as this place words it, where others did otherwise.
    hold.text = CASE row[8] WHEN f.text THEN null ELSE row[8] END
}
CALL (chunks, facts, elements, homes_of) {
  UNWIND $mentions AS row
  WITH facts[row[0]] AS f, elements[row[1]] AS k, homes_of[row[1]] AS home, chunks[row[2]] AS titled
  MERGE (f)-[held:HAS_KEY_ELEMENT]->(home)
    // The chunk whose document's title alone names the element; who names it plainly takes the mark away.
    ON CREATE SET held.title = titled.id, held.via = CASE WHEN k = home THEN null ELSE [k.id] END
    // Which redirects a fact came through (its own name without one is null), so that a merge can be undone.
    ON MATCH SET held.title = CASE WHEN titled IS NULL THEN null ELSE held.title END, held.via = CASE
      WHEN k.id IN coalesce(held.via, [home.id]) THEN held.via
      ELSE coalesce(held.via, [home.id]) + k.id END
}
// One that went before it was locked came back empty.
FOREACH (k IN [k IN others WHERE NOT EXISTS { (k)--() }] | DELETE k)
RETURN size(chunks) AS chunks
