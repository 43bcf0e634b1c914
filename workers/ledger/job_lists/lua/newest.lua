-- Look at the newest jobs of a list and return those that may be wanted; whether each is, its record tells. KEYS: the
-- list. ARGV: score and id of the last that was looked at ('' at the beginning), the latest and the oldest score, how
-- many are looked at, and as JSON what is asked for: its state, texts that its description holds, the field of a step,
-- whether something went wrong. Returns id and score of the last that was looked at, or nothing where none is left;
-- then id and score of each that may be wanted.
local from, last, most, wanted = ARGV[1], ARGV[2], tonumber(ARGV[5]), cjson.decode(ARGV[6])
local top, room = from ~= '' and from or ARGV[3], most
if from ~= '' then room = room + redis.call('ZCOUNT', KEYS[1], from, from) end
local newest = redis.call('ZRANGE', KEYS[1], top, ARGV[4], 'BYSCORE', 'REV', 'LIMIT', 0, room, 'WITHSCORES')

local function key_of(id, part) return 'hop:{' .. id .. '}:' .. part end

local function went_wrong(id)
  if redis.call('HLEN', key_of(id, 'dead')) > 0 then return true end
  local outcome = redis.call('HGET', key_of(id, 'job'), 'outcome') or ''
  return string.find(outcome, '"error":"[^"]') or string.find(outcome, '"reason":"[^"]')
end

local function may_be_wanted(id)
  local job = redis.call('HMGET', key_of(id, 'job'), 'state', 'spec', wanted.step)
  if not job[2] or wanted.state ~= '' and job[1] ~= wanted.state then return false end
  if wanted.step ~= '' and not job[3] then return false end
  for _, text in ipairs(wanted.texts) do
    if not string.find(job[2], text, 1, true) then return false end
  end
  return not wanted.wrong or went_wrong(id)
end

local reply, looked = {}, 0
for i = 1, #newest, 2 do
  local id, at = newest[i], newest[i + 1]
  local order = tonumber(at) - (tonumber(from) or math.huge)
  if looked < most and (order < 0 or order == 0 and id < last) then
    looked = looked + 1
    reply[1], reply[2] = id, at
    if may_be_wanted(id) then reply[#reply + 1], reply[#reply + 2] = id, at end
  end
end
return reply
