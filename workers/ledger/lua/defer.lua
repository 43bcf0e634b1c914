-- Give a lease back without counting an attempt. ARGV: epoch, item, token, milliseconds to wait, why.
-- Returns gone | deferred.
local item = ARGV[2]
if not is_open(ARGV[1]) or lease_of(item) ~= ARGV[3] then return {'gone'} end
local _, step = describe(item)
local till = string.format('%d', NOW + tonumber(ARGV[4]))
redis.call('HDEL', LEASE, item)
redis.call('HSET', HOLD, item, till)
redis.call('ZADD', DUE, till, item)
emit_item('item.deferred', item, step, ',"why":' .. cjson.encode(ARGV[5]))
return {'deferred'}
