-- Open a breaker. KEYS: the breakers (hash). ARGV: name, why, ms until somebody tries, 1 if the server asked for these.
-- Returns 1 if it was closed; one that is open is left alone, unless the server asks for longer.
local told = redis.call('HGET', KEYS[1], ARGV[1])
if told and ARGV[4] ~= '1' then return 0 end
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local opened = told and cjson.decode(told) or {since = now, probe = 0, tries = 0}
if now + ARGV[3] > opened.probe then
  opened.why, opened.probe, opened.wait = ARGV[2], now + ARGV[3], tonumber(ARGV[3])
  redis.call('HSET', KEYS[1], ARGV[1], cjson.encode(opened))
end
return told and 0 or 1
