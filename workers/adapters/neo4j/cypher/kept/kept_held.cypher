// Returns whether a version is pending or kept.
RETURN EXISTS { MATCH (v:KeptVersion {key: $key}) WHERE v.state <> 'dropped' } AS held
