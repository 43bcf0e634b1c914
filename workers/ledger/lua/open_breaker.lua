-- Open a breaker. KEYS: the breakers (hash). ARGV: name, why, ms until somebody tries, unless it is open already.
-- Returns 1 if it was closed.
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then return 0 end
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local opened = {why = ARGV[2], since = now, probe = now + ARGV[3], tries = 0}
redis.call('HSET', KEYS[1], ARGV[1], cjson.encode(opened))
return 1
