// Says whether a merge stands: its source is a redirect through it.
MATCH (:KeyElement {id: $source})-[link:MERGED_INTO {merge: $id}]->()
RETURN link.into AS into
