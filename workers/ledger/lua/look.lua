-- What the watchdog does with one job: what is due without a valid lease or hold is to be sent again, unless its message
-- may still wait in a long queue.
-- ARGV: milliseconds until a delegated item is looked at again, the longest interval between two sends, and, where
-- queues are long, {step: {a job's priority: when the oldest message that waits was sent}} as JSON, else ''.
-- Returns missing; ended, outbox …, lost …; or running, epoch, kind of attention (none | close | cut), phase, room's cursor,
-- {item, step, 1 if quarantined …} to send, {item, child …} delegated, {key, value …} outbox, and
-- {step, 1 if it was given up for that …} of leases that were lost.
local job = redis.call('HMGET', JOB, 'state', 'epoch', 'phase', 'closing', 'deadline', 'hard_deadline')
if not job[1] then return {'missing'} end
if job[1] ~= 'running' then return {'ended', redis.call('HGETALL', OUTBOX)} end
local cap = tonumber(ARGV[2])
local send, delegated, lost = {}, {}, {}
local backlog, priority -- read when first needed

-- Whether the message that an item was sent with may still wait for its turn: the oldest there was sent before it.
local function still_waits(item, step, due)
  if ARGV[3] == '' then return false end
  backlog = backlog or cjson.decode(ARGV[3])
  if not backlog[step] then return false end
  priority = priority or cjson.decode(redis.call('HGET', JOB, 'spec')).priority or 'normal'
  local oldest = backlog[step][priority]
  if not oldest then return false end
  local sent = math.min(tonumber(redis.call('HGET', SENT, sent_field(item)) or due - setting('resend_ms')), now())
  redis.call('HSET', SENT, sent_field(item), string.format('%d', sent))
  return oldest <= sent
end

local function consider(item, due)
  local phase, step = describe(item)
  local holder, expiry = lease_of(item)
  if holder and expiry > now() then return redis.call('ZADD', DUE, expiry, item) end
  if holder then
    local dead = count_lost(item, phase, step)
    lost[#lost + 1] = step
    lost[#lost + 1] = dead and '1' or '0'
    if dead then return nil end
  end
  if is_closed(phase, step) then return drop(item) end
  local till = held_till(item)
  if till then return redis.call('ZADD', DUE, till, item) end
  local child = redis.call('HGET', CHILD, item)
  if child then
    delegated[#delegated + 1] = item
    delegated[#delegated + 1] = child
    return redis.call('ZADD', DUE, string.format('%d', now() + tonumber(ARGV[1])), item)
  end
  local given_back = redis.call('HDEL', HOLD, item) == 1
  local taken = holder or given_back or is_quarantined(item)
  local times = redis.call('HINCRBY', SENT, item, 1)
  local wait = math.min(setting('resend_ms') * 2 ^ math.min(times, 20), cap)
  redis.call('ZADD', DUE, string.format('%d', now() + wait), item)
  if not taken and still_waits(item, step, due) then return nil end
  redis.call('HSET', SENT, sent_field(item), string.format('%d', now()))
  send[#send + 1] = item
  send[#send + 1] = step
  send[#send + 1] = is_quarantined(item) and '1' or '0'
end
-- The second range is what a clock that was set back left too far in the future; in a closed phase, all that waits
-- for longer than a lease, so has none.
local furthest = setting('lease_ms')
if job[4] ~= job[3] then furthest = 2 * math.max(cap, furthest, tonumber(ARGV[1])) end
local horizon = string.format('%d', now() + furthest + 1)
for _, range in ipairs({{'-inf', now()}, {horizon, '+inf'}}) do
  local found = redis.call('ZRANGEBYSCORE', DUE, range[1], range[2], 'WITHSCORES', 'LIMIT', 0, BATCH)
  for i = 1, #found, 2 do consider(found[i], tonumber(found[i + 1])) end
end
if redis.call('HGET', JOB, 'state') ~= 'running' then return {'ended', redis.call('HGETALL', OUTBOX), lost} end
local advance = drain(nil)
if advance then
  redis.call('ZADD', DUE, string.format('%d', now() + setting('resend_ms')), advance)
  send[#send + 1] = advance
  send[#send + 1] = 'flow.advance'
  send[#send + 1] = '0'
end
local attention = 'none'
local deadline, hard = tonumber(job[5] or '0'), tonumber(job[6] or '0')
if hard > 0 and now() > hard then
  attention = 'cut'
elseif deadline > 0 and now() > deadline and job[4] ~= job[3] then
  attention = 'close'
end
return {'running', job[2], attention, job[3], room(), send, delegated, redis.call('HGETALL', OUTBOX), lost}
