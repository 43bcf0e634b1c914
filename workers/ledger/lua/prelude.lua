-- Shared by every script of a job: names for its keys, time, leases, recording results, draining, ending.
local JOB, ITEMS, DUE, LEASE, HOLD, TRIES, LOST, SENT, RESULT, DEAD, CHILD, OUTBOX, CALLS, EVENTS =
  KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7], KEYS[8], KEYS[9], KEYS[10], KEYS[11],
  KEYS[12], KEYS[13], KEYS[14]
local READS, PAGES = KEYS[15], KEYS[16]

local QUARANTINE_AFTER, DEAD_AFTER = 3, 5 -- lost leases
local EVENTS_KEPT = 2000
local BATCH = 300 -- the most items that one call handles
local PAGE = 100 -- items of a page of a list at most: ledger/manifest.py, which makes it half a smaller window
local LONGEST_HOLD = 3600000 -- ms; whatever a server asks for, unless the job has a bound of its own

local clock = redis.call('TIME')
local NOW = clock[1] * 1000 + math.floor(clock[2] / 1000)

local function setting(name)
  return tonumber(redis.call('HGET', JOB, name) or '0') or 0
end

local function emit(name, data)
  redis.call('XADD', EVENTS, 'MAXLEN', '~', EVENTS_KEPT, '*', 'name', name, 'data', data)
end

local function emit_item(name, item, step, more)
  emit(name, '{"item":' .. cjson.encode(item) .. ',"step":"' .. step .. '"' .. (more or '') .. '}')
end

local function job_id() return string.match(JOB, '^hop:{(.*)}:job$') end

-- Put the job into the index of active jobs, which some scripts have as their last key, by the time it came.
local function put_into_index()
  redis.call('ZADD', KEYS[#KEYS], 'GT', string.format('%.3f', NOW / 1000), job_id())
end

-- The job runs, and the message belongs to this epoch.
local function is_open(epoch)
  local job = redis.call('HMGET', JOB, 'state', 'epoch')
  return job[1] == 'running' and job[2] == epoch
end

-- phase, step, input of an item
local function describe(item)
  local value = redis.call('HGET', ITEMS, item)
  if not value then return nil end
  local phase, step, input = string.match(value, '^(%d+) (%S+) (.*)$')
  return tonumber(phase), step, input
end

-- The token and expiry of an item's lease; never further off than one length, whatever the clock did.
local function lease_of(item)
  local value = redis.call('HGET', LEASE, item)
  if not value then return nil, 0 end
  local token, expiry = string.match(value, '^(%S+) (%d+)$')
  expiry = tonumber(expiry)
  local furthest = NOW + setting('lease_ms')
  if expiry > furthest then
    expiry = furthest
    redis.call('HSET', LEASE, item, token .. ' ' .. string.format('%d', expiry))
  end
  return token, expiry
end

local function grant(item, token)
  local expiry = string.format('%d', NOW + setting('lease_ms'))
  redis.call('HSET', LEASE, item, token .. ' ' .. expiry)
  redis.call('ZADD', DUE, expiry, item)
end

-- Not to be begun for so many milliseconds; the lease is given back.
local function hold(item, wait)
  local longest = setting('longest_hold_ms')
  wait = math.min(wait, longest > 0 and longest or LONGEST_HOLD)
  local from, till = string.format('%d', NOW), string.format('%d', NOW + wait)
  redis.call('HDEL', LEASE, item)
  redis.call('HSET', HOLD, item, from .. ' ' .. till)
  redis.call('ZADD', DUE, till, item)
end

-- Until when an item is held, or nil; a hold that began in the future is one of a clock that was set back.
local function held_till(item)
  local value = redis.call('HGET', HOLD, item)
  if not value then return nil end
  local from, till = string.match(value, '^(%d+) (%d+)$')
  if tonumber(from) <= NOW and NOW < tonumber(till) then return tonumber(till) end
  return nil
end

-- When an item's message was sent; SENT holds that beside how often the item was looked at since.
local function sent_field(item) return item .. ' at' end

local function forget_sends(item)
  redis.call('HDEL', SENT, item, sent_field(item))
end

local function forget(item)
  redis.call('ZREM', DUE, item)
  redis.call('HDEL', LEASE, item)
  redis.call('HDEL', HOLD, item)
  forget_sends(item)
end

-- The item's phase was closed: what has no valid lease is dropped, and its child told to stop.
local function is_closed(phase, step)
  return step ~= 'flow.advance' and setting('closing') == phase
end

-- The child is to stop, unless it works for a newer epoch of this job by then.
local function cancel_later(child)
  redis.call('HSET', OUTBOX, 'cancel:' .. child .. ':' .. redis.call('HGET', JOB, 'epoch'), child)
end

local function drop(item)
  local child = redis.call('HGET', CHILD, item)
  if child then cancel_later(child) end
  redis.call('HDEL', CHILD, item)
  redis.call('HINCRBY', JOB, 'dropped', 1)
  forget(item)
end

-- End the job: state and outcome together, nothing due, everything to expire, the outbox to be worked off.
local function end_job(state, outcome)
  redis.call('DEL', DUE, LEASE, HOLD, SENT) -- first: a full Redis lets a script write that has begun by freeing
  redis.call('HSET', JOB, 'state', state, 'outcome', outcome, 'ended', string.format('%d', NOW), 'uncounted', '1')
  local parent = redis.call('HGET', JOB, 'parent')
  if parent then redis.call('HSET', OUTBOX, 'parent', parent) end
  for _, child in ipairs(redis.call('HVALS', CHILD)) do cancel_later(child) end
  redis.call('DEL', CHILD)
  for _, entry in ipairs({'session', 'webhook'}) do
    local value = redis.call('HGET', JOB, entry)
    if value then redis.call('HSET', OUTBOX, entry, value) end
  end
  emit('job.ended', '{"state":"' .. state .. '"}')
  local keep = setting('keep_ms')
  for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, keep) end
end

-- No message of ours carries the item yet: the watchdog sends it when it is due, however long the queues are.
local function never_sent(item)
  redis.call('HSET', SENT, sent_field(item), '0')
end

-- Add an item never seen before, within its step's cap; return whether it was added.
local function admit(phase, item, step, input, delay)
  if redis.call('HEXISTS', ITEMS, item) == 1 then return false end
  local name = 'cap:' .. phase .. ':' .. step
  local cap = redis.call('HGET', JOB, name)
  if cap then
    if tonumber(cap) <= 0 then return false end
    redis.call('HINCRBY', JOB, name, -1)
  end
  redis.call('HSET', ITEMS, item, phase .. ' ' .. step .. ' ' .. input)
  redis.call('ZADD', DUE, string.format('%d', NOW + (delay > 0 and delay or setting('resend_ms'))), item)
  if delay > 0 then never_sent(item) end
  redis.call('HINCRBY', JOB, 'items:' .. step, 1)
  return true
end

-- The phase is drained: add the item that opens the next, leased to the token where one is given.
local function drain(token)
  if redis.call('ZCARD', DUE) > 0 then return nil end
  local job = redis.call('HMGET', JOB, 'phase', 'cursor', 'size', 'state')
  if job[4] ~= 'running' then return nil end -- giving an advance up has ended it
  if tonumber(job[2] or '0') < tonumber(job[3] or '0') then return nil end
  local phase = tonumber(job[1])
  local item = 'advance:' .. (phase + 1)
  if redis.call('HEXISTS', ITEMS, item) == 0 then
    redis.call('HSET', ITEMS, item, phase .. ' flow.advance {}')
  end
  if token then
    grant(item, token)
  else
    redis.call('ZADD', DUE, string.format('%d', NOW), item)
  end
  return item
end

local function record(item, phase, step, result)
  redis.call('HSET', RESULT, item, phase .. ' ' .. step .. ' ' .. result)
  forget(item)
  redis.call('HDEL', TRIES, item)
  redis.call('HINCRBY', JOB, 'done:' .. step, 1)
end

-- What an item has told is void: another worker does it, or nobody will.
local function take_back(item)
  local told = redis.call('HGET', JOB, 'told:' .. item)
  if not told then return end
  redis.call('HDEL', JOB, 'told:' .. item)
  emit(string.match(told, '(%S+)$'), '{}')
end

-- Give an item up: a dead letter and a degraded result, so that the job still ends.
local function give_up(item, phase, step, error)
  if step == 'flow.advance' then
    return end_job('failed', '{"reason":' .. cjson.encode('the flow could not go on: ' .. error) .. '}')
  end
  redis.call('HSET', DEAD, item, cjson.encode({error = error, step = step, phase = phase, at = NOW}))
  take_back(item)
  record(item, phase, step, '!' .. error)
  emit_item('item.dead', item, step, ',"error":' .. cjson.encode(error))
end

-- Count a lease that ran out; true if the item was given up for it.
local function count_lost(item, phase, step)
  redis.call('HDEL', LEASE, item)
  redis.call('HINCRBY', JOB, 'leases_lost', 1)
  local lost = redis.call('HINCRBY', LOST, item, 1)
  emit_item('lease.lost', item, step, ',"times":' .. lost)
  if lost >= DEAD_AFTER then
    give_up(item, phase, step, 'its worker died ' .. lost .. ' times, twice of these in quarantine')
    return true
  end
  return false
end

local function is_quarantined(item)
  return tonumber(redis.call('HGET', LOST, item) or '0') >= QUARANTINE_AFTER
end

-- Add the events of a step: name, data, name, data … from ARGV[first] on, `count` pairs.
local function emit_all(first, count)
  for i = first, first + 2 * count - 2, 2 do emit(ARGV[i], ARGV[i + 1]) end
end

-- Admit the items of ARGV from `first` on: id, step, input, delay in ms, `count` of them; return those added.
local function admit_all(phase, first, count)
  local added = {}
  for i = first, first + 4 * count - 4, 4 do
    if admit(phase, ARGV[i], ARGV[i + 1], ARGV[i + 2], tonumber(ARGV[i + 3])) then
      added[#added + 1] = ARGV[i]
    end
  end
  return added
end

-- A whole page of the list still fits into the window: the cursor to go on from, or -1.
local function room()
  local job = redis.call('HMGET', JOB, 'cursor', 'size', 'window')
  local cursor, size, window = tonumber(job[1] or '0'), tonumber(job[2] or '0'), tonumber(job[3] or '0')
  local page = math.max(1, math.min(PAGE, math.floor(window / 2)))
  if cursor < size and redis.call('ZCARD', DUE) + page <= window then return cursor end
  return -1
end
