-- Shared by the scripts that change turns at a model: names for the keys, time, and a clock that was set back.
-- KEYS: state (hash), door (packed), calls in flight of bulk and of interactive work (zsets by expiry), those who wait
-- (zset by until when), the endpoint's pause (string).
local STATE, DOOR, BULK, INTERACTIVE, WAITING, PAUSE = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local WINDOW = 62 -- seconds: the minute at the endpoint's door, and what calls need to get there, sooner or later
local FILL = 0.975 -- of the limit: the rest is for those who jump ahead
local DECREASE = 0.7 -- of the calls in flight, when the endpoint refuses one
local KEPT = 600000
local SET_BACK = 1000 -- ms; less is no setting of a clock

local clock = redis.call('TIME')
local NOW = clock[1] * 1000 + math.floor(clock[2] / 1000)

-- Fields of the state, read together: every command counts, also within a script. `lasts` is until when the state is
-- kept.
local NAMES = {
  'seen', 'lasts', 'allowed', 'requests', 'tokens', 'queue:bulk', 'queue:interactive', 'refused', 'decreased',
}
local FIELDS = {}
for nth, value in ipairs(redis.call('HMGET', STATE, unpack(NAMES))) do FIELDS[NAMES[nth]] = value end

local function number(field) return tonumber(FIELDS[field] or '') end
local function whole(value) return string.format('%d', value) end

local function write(field, value)
  FIELDS[field] = value
  redis.call('HSET', STATE, field, value)
end

-- A clock that was set back takes all moments with it, as if no time had passed since a script looked at it.
local function follow_clock(seen)
  local back = seen - NOW
  for _, field in ipairs({'requests', 'tokens', 'queue:bulk', 'queue:interactive', 'refused', 'decreased'}) do
    local at = number(field)
    if at then write(field, whole(at - back)) end
  end
  for _, key in ipairs({BULK, INTERACTIVE, WAITING}) do
    local members = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
    for i = 1, #members, 2 do redis.call('ZADD', key, whole(members[i + 1] - back), members[i]) end
  end
  local pause = tonumber(redis.call('GET', PAUSE) or '0')
  if pause > seen then -- else another line of the endpoint has moved it
    redis.call('SET', PAUSE, whole(pause - back), 'PX', whole(pause - seen))
  end
  local packed = redis.call('GET', DOOR)
  if packed then
    local moved, seconds = {{}, {}}, math.floor(back / 1000 + 0.5)
    for dimension, counts in ipairs(cmsgpack.unpack(packed)) do
      for second, count in pairs(counts) do moved[dimension][second - seconds] = count end
    end
    redis.call('SET', DOOR, cmsgpack.pack(moved), 'PX', KEPT)
  end
end

local seen = number('seen')
if seen and seen - NOW > SET_BACK then follow_clock(seen) end
local lasts = number('lasts') or 0
if lasts < NOW + KEPT / 2 or lasts > NOW + KEPT then
  redis.call('HSET', STATE, 'seen', whole(NOW), 'lasts', whole(NOW + KEPT))
  redis.call('PEXPIRE', STATE, KEPT)
else
  redis.call('HSET', STATE, 'seen', whole(NOW))
end
