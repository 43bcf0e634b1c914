-- Take a turn at a model: a call in flight and a place in its minute. ARGV: call, class, tokens, requests a minute,
-- tokens a minute, calls in flight ('' where there is no limit), share of calls that bulk work leaves free, the longest
-- wait in ms, ms for which the call counts as in flight unless its worker renews it.
-- Returns go, ms to wait, second of the place, limiter ('' none) | calls (all are in flight) | back, ms, limiter.
-- A place is what the GCRA allows (evenly spaced, at FILL of the limit) and, whatever the GCRA says, one that leaves no
-- WINDOW of seconds above the limit: interactive calls jump ahead within what is free of it, and bulk ones pay for that.
local CALL, CLASS, TOKENS, LONGEST = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[8])
local RPM, TPM, MOST = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local CATCH_UP = 3000 -- ms that may be made up for after nobody came
local AFTER_PAUSE = 5 -- ms between two calls that waited for the end of a pause
local LEAST, FURTHEST = 5000, 20000 -- ms: how far ahead places are given, three intervals within these
local FURTHEST_THEORY = 2 * WINDOW * 1000 -- ms: what jumps ahead and what waits fill less than a minute each
local LONGEST_HINT = 300000

local function in_flight(key)
  redis.call('ZREMRANGEBYSCORE', key, '-inf', whole(NOW))
  return redis.call('ZCARD', key)
end

local function waits(limiter, ms)
  redis.call('ZADD', WAITING, whole(NOW + ms), limiter .. ' ' .. CLASS .. ' ' .. CALL)
  redis.call('PEXPIRE', WAITING, KEPT)
end

-- Whether one more call may be in flight; what is allowed shrinks where the endpoint refused.
local function may_fly()
  local bulk, interactive = in_flight(BULK), in_flight(INTERACTIVE)
  local total = number('allowed')
  if MOST and (not total or MOST < total) then total = MOST end
  if not total then return true end
  total = math.max(1, math.floor(total))
  local kept = math.ceil(total * tonumber(ARGV[7]))
  if MOST and bulk + interactive >= MOST then return false end
  if CLASS == 'bulk' then return bulk + interactive < total and bulk < math.max(1, total - kept) end
  return bulk + interactive < total or interactive < kept
end

redis.call('ZREMRANGEBYSCORE', WAITING, '-inf', whole(NOW))
if not may_fly() then
  waits('calls', 1000)
  return {'calls'}
end

local door = redis.call('GET', DOOR)
door = door and cmsgpack.unpack(door) or {{}, {}}
local latest, oldest = 0, math.floor(NOW / 1000) - WINDOW
for _, counts in ipairs(door) do
  for second in pairs(counts) do
    if second < oldest then counts[second] = nil elseif second > latest then latest = second end
  end
end

-- Whether so much more in that second leaves every window that holds it within the limit, or bulk's part of it.
local function fits(counts, second, cost, limit)
  if not limit then return true end
  if CLASS == 'bulk' then limit = limit - math.floor(limit * (1 - FILL)) end
  cost = math.min(cost, limit) -- what is larger than the limit goes alone, and the endpoint says what it thinks
  local sum = 0
  for one = second - WINDOW + 1, second do sum = sum + (counts[one] or 0) end
  if sum + cost > limit then return false end
  for last = second + 1, math.min(latest, second + WINDOW - 1) do
    sum = sum + (counts[last] or 0) - (counts[last - WINDOW] or 0)
    if sum + cost > limit then return false end
  end
  return true
end

local pause = tonumber(redis.call('GET', PAUSE) or '0')
local interval = {RPM and WINDOW * 1000 / (FILL * RPM) or 0, TPM and TOKENS * WINDOW * 1000 / (FILL * TPM) or 0}
if pause > NOW then interval[1] = math.max(interval[1], AFTER_PAUSE) end
local theory = {}
for dimension, field in ipairs({'requests', 'tokens'}) do
  theory[dimension] = math.min(number(field) or 0, NOW + FURTHEST_THEORY + interval[dimension])
end
local horizon = math.min(LONGEST, FURTHEST, math.max(LEAST, 3 * interval[1], 3 * interval[2]))
local place, limiter = math.max(NOW, pause), pause > NOW and 'pause' or ''
if CLASS == 'bulk' or not (RPM or TPM) then
  if interval[1] > 0 and theory[1] > place then place, limiter = theory[1], RPM and 'requests' or 'pause' end
  if interval[2] > 0 and theory[2] > place then place, limiter = theory[2], 'tokens' end
end
while place - NOW <= horizon do
  local second = math.floor(place / 1000)
  local requests_fit = fits(door[1], second, 1, RPM)
  if requests_fit and fits(door[2], second, TOKENS, TPM) then break end
  place, limiter = (second + 1) * 1000, requests_fit and 'tokens' or 'requests'
end

-- Those who are given back come again one after another, as if they queued behind the last place.
local queue = 'queue:' .. CLASS
if place - NOW > horizon then
  local spacing = math.max(interval[1], interval[2], AFTER_PAUSE)
  local turn = math.max(number(queue) or 0, place)
  if turn > NOW + LONGEST_HINT then turn = math.max(place, NOW + LONGEST_HINT / 2) end
  write(queue, whole(turn + spacing))
  local hint = math.max(250, turn - NOW - horizon / 2)
  waits(limiter, hint)
  return {'back', math.floor(hint), limiter}
end
if number(queue) and place - NOW < horizon / 3 then redis.call('HDEL', STATE, queue) end -- it is shorter than was thought

local second = math.floor(place / 1000)
for dimension, cost in ipairs({1, TOKENS}) do
  if interval[dimension] > 0 then
    local from = CLASS == 'bulk' and math.max(theory[dimension], place - CATCH_UP)
      or math.max(theory[dimension], NOW - CATCH_UP)
    write(dimension == 1 and 'requests' or 'tokens', whole(from + interval[dimension]))
  end
  door[dimension][second] = (door[dimension][second] or 0) + cost
end
redis.call('SET', DOOR, cmsgpack.pack(door), 'PX', KEPT)
local flying = CLASS == 'bulk' and BULK or INTERACTIVE
redis.call('ZADD', flying, whole(place + tonumber(ARGV[9])), CALL)
redis.call('PEXPIRE', flying, KEPT)
redis.call('ZREM', WAITING, 'calls ' .. CLASS .. ' ' .. CALL)
if place > NOW then waits(limiter, place - NOW) end
return {'go', math.ceil(place - NOW), second, limiter}
