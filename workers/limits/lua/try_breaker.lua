-- Ask whether to try what a breaker keeps from being asked. KEYS: the breakers (hash). ARGV: name, the first and the
-- longest wait in ms. Returns 0 to whoever may try, which is one of all until the next is due; else ms until then.
local told = redis.call('HGET', KEYS[1], ARGV[1])
if not told then return 0 end
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local opened = cjson.decode(told)
local furthest = now + math.max(tonumber(ARGV[3]), opened.wait or 0)
if opened.probe > furthest then -- the clock was set back
  opened.probe, opened.since = furthest, math.min(opened.since, now)
  redis.call('HSET', KEYS[1], ARGV[1], cjson.encode(opened))
end
if now < opened.probe then return opened.probe - now end
opened.tries = opened.tries + 1
opened.wait = math.min(tonumber(ARGV[3]), ARGV[2] * 2 ^ math.min(opened.tries, 20))
opened.probe = now + opened.wait
redis.call('HSET', KEYS[1], ARGV[1], cjson.encode(opened))
return 0
