-- Hand an item to a child job; the lease ends, the watchdog looks at the child. ARGV: epoch, item, token, child,
-- milliseconds until it looks. Returns gone: nobody waits for the child; wanted: it is handed over already, or another
-- worker does that; delegated.
local item = ARGV[2]
read_fields({'state', 'epoch', 'delegated'})
if not is_open(ARGV[1]) or not redis.call('ZSCORE', DUE, item) then return {'gone'} end
if lease_of(item) ~= ARGV[3] then return {'wanted'} end
redis.call('HDEL', LEASE, item)
redis.call('HSET', CHILD, item, ARGV[4])
if not FIELDS.delegated then redis.call('HSET', JOB, 'delegated', '1') end
redis.call('ZADD', DUE, string.format('%d', now() + tonumber(ARGV[5])), item)
return {'delegated'}
