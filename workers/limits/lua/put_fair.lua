-- Put messages into a queue that tenants share, and let out what has room. ARGV: priority, API key ('' for none),
-- collection, text, four for each message. A collection that has a weight is a tenant, whoever works on it; else the key
-- is one; of what comes without a key, the collection.
for i = 1, #ARGV, 4 do
  local tenant = 'collection ' .. ARGV[i + 2]
  if ARGV[i + 1] ~= '' and redis.call('HEXISTS', WEIGHTS, tenant) == 0 then tenant = 'key ' .. ARGV[i + 1] end
  put(tenant, tonumber(ARGV[i]), ARGV[i + 3])
end
let_out()
