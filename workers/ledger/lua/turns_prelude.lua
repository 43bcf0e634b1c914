-- Shared by the scripts that change turns at a model: names for the keys, and time.
-- KEYS: state (hash), door (packed), calls in flight of bulk and of interactive work (zsets by expiry), those who wait
-- (zset by until when), the endpoint's pause (string).
local STATE, DOOR, BULK, INTERACTIVE, WAITING, PAUSE = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local WINDOW = 62 -- seconds: the minute at the endpoint's door, and what calls need to get there, sooner or later
local FILL = 0.975 -- of the limit: the rest is for those who jump ahead
local DECREASE = 0.7 -- of the calls in flight, when the endpoint refuses one
local KEPT = 600000

local clock = redis.call('TIME')
local NOW = clock[1] * 1000 + math.floor(clock[2] / 1000)

local function number(field) return tonumber(redis.call('HGET', STATE, field) or '') end
local function whole(value) return string.format('%d', value) end
