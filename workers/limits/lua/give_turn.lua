-- Give a turn at a model back. More KEYS: what wakes those who wait for a call in flight, of bulk and of interactive work
-- (lists). ARGV: call, class, second of its place, tokens booked, tokens it counts, requests it counts (0 where it was
-- never sent), tokens a minute, what came of it (done, busy, or something else), ms that the endpoint asks to wait ('' where
-- it does not say), ms between two decreases, calls in flight at most ('' where there is no limit).
-- A busy endpoint that says until when is left alone by all of them; else fewer calls are allowed, and with every one
-- that is done a little more. Returns ms of the pause, or 0.
local CALL, CLASS, SECOND, CAME = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[8]
local LONE_PAUSE = 1000 -- ms, where a single call at a time was too many
local LATELY = 60000 -- ms after which a refusal is forgotten
local LONGEST_PAUSE = 3600000

local was_flying = redis.call('ZREM', CLASS == 'bulk' and BULK or INTERACTIVE, CALL)

local more, unsent = ARGV[5] - ARGV[4], ARGV[6] == '0'
local packed = (more ~= 0 or unsent) and redis.call('GET', DOOR)
if packed then
  local door = cmsgpack.unpack(packed)
  if door[1][SECOND] and unsent then door[1][SECOND] = math.max(0, door[1][SECOND] - 1) end
  if door[2][SECOND] then door[2][SECOND] = math.max(0, door[2][SECOND] + more) end
  redis.call('SET', DOOR, cmsgpack.pack(door), 'PX', KEPT)
  local tokens, limit = number('tokens'), tonumber(ARGV[7])
  if tokens and limit then
    write('tokens', whole(tokens + more * WINDOW * 1000 / (FILL * limit)))
  end
end

local asked = tonumber(ARGV[9])
if CAME == 'busy' and asked then
  local till = NOW + math.min(asked, LONGEST_PAUSE)
  if till > tonumber(redis.call('GET', PAUSE) or '0') then
    redis.call('SET', PAUSE, whole(till), 'PX', whole(math.max(1, till - NOW)))
  end
elseif CAME == 'busy' then
  write('refused', whole(NOW))
  if NOW - (number('decreased') or 0) >= tonumber(ARGV[10]) then
    local flying = redis.call('ZCARD', BULK) + redis.call('ZCARD', INTERACTIVE) + was_flying
    local allowed = math.min(number('allowed') or flying, flying)
    redis.call('HSET', STATE, 'decreased', whole(NOW), 'allowed', tostring(math.max(1, allowed * DECREASE)))
    if allowed <= 1 then redis.call('SET', PAUSE, whole(NOW + LONE_PAUSE), 'PX', LONE_PAUSE) end
  end
elseif CAME == 'done' then
  local allowed, most = number('allowed'), tonumber(ARGV[11])
  if allowed then
    local forgotten = NOW - (number('refused') or 0) > LATELY
    if forgotten or (most and allowed + 1 / allowed >= most) then
      redis.call('HDEL', STATE, 'allowed')
    else
      redis.call('HSET', STATE, 'allowed', tostring(allowed + 1 / allowed))
    end
  end
end

if redis.call('ZCARD', WAITING) > 0 then
  for i = 7, 8 do
    redis.call('LPUSH', KEYS[i], '1')
    redis.call('LTRIM', KEYS[i], 0, 7)
    redis.call('PEXPIRE', KEYS[i], 2000)
  end
end
return math.max(0, tonumber(redis.call('GET', PAUSE) or '0') - NOW)
