-- Put messages into a queue that tenants share, and let out what has room. ARGV: priority, API key ('' for none),
-- collection, text, four for each message.
for i = 1, #ARGV, 4 do put(tenant_of(ARGV[i + 1], ARGV[i + 2]), tonumber(ARGV[i]), ARGV[i + 3]) end
let_out()
