-- Let out of a queue that tenants share what has room: who took the last ones may have died before.
let_out()
