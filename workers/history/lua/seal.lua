-- Seal the rows that wait under a number, so that they change no more: where so many wait, or for so long.
-- KEYS: rows that wait, the last number, numbers of what is sealed. ARGV: how many, milliseconds, the number that the
-- new one must be above. Returns the number; '' where nothing is sealed, as something is already or too little waits.
if redis.call('ZCARD', KEYS[3]) > 0 then return '' end
local rows = redis.call('HLEN', KEYS[1])
if rows == 0 then return '' end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local last = tonumber(redis.call('GET', KEYS[2]) or '0')
if rows < tonumber(ARGV[1]) and last <= now and now - last < tonumber(ARGV[2]) then return '' end
local number = string.format('%d', math.max(last + 1, now, ARGV[3] + 1))
redis.call('SET', KEYS[2], number)
redis.call('RENAME', KEYS[1], KEYS[3] .. ':' .. number)
redis.call('ZADD', KEYS[3], number, number)
return number
