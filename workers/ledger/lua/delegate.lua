-- Hand an item to a child job; the lease ends, the watchdog looks at the child. ARGV: epoch, item, token, child,
-- milliseconds until it looks. Returns gone | delegated.
local item = ARGV[2]
if not is_open(ARGV[1]) or lease_of(item) ~= ARGV[3] then return {'gone'} end
redis.call('HDEL', LEASE, item)
redis.call('HSET', CHILD, item, ARGV[4])
redis.call('ZADD', DUE, string.format('%d', NOW + tonumber(ARGV[5])), item)
return {'delegated'}
