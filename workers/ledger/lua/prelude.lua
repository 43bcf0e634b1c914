-- Shared by every script of a job: names for its keys, time, leases, recording results, draining, ending.
local JOB, ITEMS, DUE, LEASE, HOLD, TRIES, LOST, SENT, RESULT, DEAD, CHILD, OUTBOX, CALLS, EVENTS =
  KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7], KEYS[8], KEYS[9], KEYS[10], KEYS[11],
  KEYS[12], KEYS[13], KEYS[14]
local READS, PAGES = KEYS[15], KEYS[16]
-- Fields of READS beside the names that items read, which never begin so: notes in order, how many there are, and
-- how many there were when an item first looked.
local NOTE, NOTES, SEEN = '*note:', '*notes', '*seen:'
local NOTES_KEPT = 200

local QUARANTINE_AFTER, DEAD_AFTER = 3, 5 -- lost leases
local EVENTS_KEPT = 2000
local BATCH = 300 -- the most items that one call handles
local PAGE = 100 -- items of a page of a list at most: ledger/manifest.py, which makes it half a smaller window
local LATE = ' (hopline waited until the deadline)'
local LONGEST_HOLD = 3600000 -- ms; whatever a server asks for, unless the job has a bound of its own

-- The server's clock when the script first asks: seconds, and microseconds beside them.
local CLOCK
local function clock()
  CLOCK = CLOCK or redis.call('TIME')
  return CLOCK[1], CLOCK[2]
end

-- The same in milliseconds.
local function now()
  local seconds, micros = clock()
  return seconds * 1000 + math.floor(micros / 1000)
end

-- Fields of the job that this script has read, as it leaves them; false for one that is not set.
local FIELDS = {}

-- Read fields of the job together; every command counts, also within a script.
local function read_fields(names)
  local values = redis.call('HMGET', JOB, unpack(names))
  for nth, name in ipairs(names) do FIELDS[name] = values[nth] end
end

local function field(name)
  if FIELDS[name] ~= nil then return FIELDS[name] end
  return redis.call('HGET', JOB, name)
end

local function setting(name) return tonumber(field(name) or '0') or 0 end

-- Add to fields of the job, each named once. amounts: name, whole number, name …
local function add_to_fields(amounts)
  if #amounts == 0 then return end
  if #amounts == 2 and FIELDS[amounts[1]] == nil then return redis.call('HINCRBY', JOB, amounts[1], amounts[2]) end
  local missing, values = {}, {}
  for i = 1, #amounts, 2 do
    if FIELDS[amounts[i]] == nil then missing[#missing + 1] = amounts[i] end
  end
  if #missing > 0 then read_fields(missing) end
  for i = 1, #amounts, 2 do
    local sum = string.format('%.0f', setting(amounts[i]) + amounts[i + 1])
    FIELDS[amounts[i]] = sum
    values[i], values[i + 1] = amounts[i], sum
  end
  redis.call('HSET', JOB, unpack(values))
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
  redis.call('ZADD', KEYS[#KEYS], 'GT', string.format('%.3f', now() / 1000), job_id())
end

-- The job runs, and the message belongs to this epoch.
local function is_open(epoch)
  if FIELDS.state == nil or FIELDS.epoch == nil then read_fields({'state', 'epoch'}) end
  return FIELDS.state == 'running' and FIELDS.epoch == epoch
end

-- Whether an item of a job still waits for its child. One that is done had a child, which may be forgotten by now.
local function waits(parent)
  local tag = 'hop:{' .. parent.job_id .. '}:'
  local job = redis.call('HMGET', tag .. 'job', 'state', 'epoch')
  return job[1] == 'running' and tonumber(job[2]) == parent.epoch and
    redis.call('ZSCORE', tag .. 'due', parent.item_id)
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
  local furthest = now() + setting('lease_ms')
  if expiry > furthest then
    expiry = furthest
    redis.call('HSET', LEASE, item, token .. ' ' .. string.format('%d', expiry))
  end
  return token, expiry
end

local function grant(item, token)
  local expiry = string.format('%d', now() + setting('lease_ms'))
  redis.call('HSET', LEASE, item, token .. ' ' .. expiry)
  redis.call('ZADD', DUE, expiry, item)
end

-- Not to be begun for so many milliseconds; the lease is given back.
local function hold(item, wait)
  local longest = setting('longest_hold_ms')
  wait = math.min(wait, longest > 0 and longest or LONGEST_HOLD)
  local from, till = string.format('%d', now()), string.format('%d', now() + wait)
  redis.call('HDEL', LEASE, item)
  redis.call('HSET', HOLD, item, from .. ' ' .. till)
  redis.call('ZADD', DUE, till, item)
end

-- Until when an item is held, or nil; and whether a hold is kept all the same, which is over or, of a clock that was
-- set back, began in the future.
local function held_till(item)
  local value = redis.call('HGET', HOLD, item)
  if not value then return nil end
  local from, till = string.match(value, '^(%d+) (%d+)$')
  if tonumber(from) <= now() and now() < tonumber(till) then return tonumber(till) end
  return nil, true
end

-- Why an item was put off at last; HOLD has that beside until when.
local function why_field(item) return item .. ' why' end

-- Remember why an item waits, and that the job does until something of it is done again.
local function put_off(item, why)
  redis.call('HSET', HOLD, why_field(item), why)
  redis.call('HSET', JOB, 'put_off', why)
  add_to_fields({'put_offs', 1})
end

-- When an item's message was sent; SENT holds that beside how often the item was looked at since.
local function sent_field(item) return item .. ' at' end

local function forget_sends(item)
  redis.call('HDEL', SENT, item, sent_field(item))
end

-- Forget what is kept of an item until it is done. What has a lease is not held, and one that was begun is sent again
-- only where a lease was lost.
local function forget(item, is_begun)
  redis.call('ZREM', DUE, item)
  if redis.call('HDEL', LEASE, item) == 0 then redis.call('HDEL', HOLD, item) end
  if setting('put_offs') > 0 then redis.call('HDEL', HOLD, why_field(item)) end
  if not is_begun or setting('leases_lost') > 0 then forget_sends(item) end
end

-- Why an item is not due: it has a result, or it was dropped or never was. What is due has no result.
local function done_or_gone(item) return redis.call('HEXISTS', RESULT, item) == 1 and 'done' or 'gone' end

-- The item's phase was closed: what has no valid lease is dropped, and its child told to stop.
local function is_closed(phase, step)
  return step ~= 'flow.advance' and setting('closing') == phase
end

-- The child is to stop, unless it works for a newer epoch of this job by then.
local function cancel_later(child)
  redis.call('HSET', OUTBOX, 'cancel:' .. child .. ':' .. redis.call('HGET', JOB, 'epoch'), child)
end

-- End the job: state and outcome together, nothing due, the outbox to be worked off. Nothing expires before it is.
local function end_job(state, outcome)
  redis.call('DEL', DUE, LEASE, HOLD, SENT) -- first: a full Redis lets a script write that has begun by freeing
  FIELDS.state = state
  redis.call('HSET', JOB, 'state', state, 'outcome', outcome, 'ended', string.format('%d', now()), 'uncounted', '1')
  local parent = redis.call('HGET', JOB, 'parent')
  redis.call('HSET', OUTBOX, 'history', '1')
  if parent then redis.call('HSET', OUTBOX, 'parent', parent) end
  for _, child in ipairs(redis.call('HVALS', CHILD)) do cancel_later(child) end
  redis.call('DEL', CHILD)
  for _, entry in ipairs({'session', 'webhook', 'reply', 'trace'}) do
    local value = redis.call('HGET', JOB, entry)
    if value then redis.call('HSET', OUTBOX, entry, value) end
  end
  emit('job.ended', '{"state":"' .. state .. '"}')
end

-- No message of ours carries the item yet: the watchdog sends it when it is due, however long the queues are.
local function never_sent(item)
  redis.call('HSET', SENT, sent_field(item), '0')
end

-- The phase is drained: add the item that opens the next, leased to the token where one is given; else whoever has a
-- publisher sends it, the watchdog at its next look.
local function drain(token)
  if redis.call('ZCARD', DUE) > 0 then return nil end
  local job = redis.call('HMGET', JOB, 'phase', 'cursor', 'size', 'state')
  if job[4] ~= 'running' then return nil end -- giving an advance up twice has ended it
  if tonumber(job[2] or '0') < tonumber(job[3] or '0') then return nil end
  local phase = tonumber(job[1])
  local item = 'advance:' .. (phase + 1)
  if redis.call('HEXISTS', ITEMS, item) == 0 then
    redis.call('HSET', ITEMS, item, phase .. ' flow.advance {}')
  end
  if token then
    grant(item, token)
  else
    redis.call('ZADD', DUE, string.format('%d', now()), item)
    never_sent(item)
  end
  return item
end

-- What is kept of an item that was given up.
local function letter(step, phase, error)
  return cjson.encode({error = error, step = step, phase = phase, at = now()})
end

-- Record the result of an item that is forgotten; the caller counts it.
local function keep_result(item, phase, step, result)
  redis.call('HSET', RESULT, item, phase .. ' ' .. step .. ' ' .. result)
  if setting('tried') > 0 then redis.call('HDEL', TRIES, item) end
end

local function record(item, phase, step, result)
  keep_result(item, phase, step, result) -- the first to write: see finish.lua
  forget(item)
  add_to_fields({'done:' .. step, 1})
end

-- What an item has told is void: another worker does it, or nobody will.
local function take_back(item)
  local name = 'told:' .. item
  local told = field(name)
  if not told then return end
  redis.call('HDEL', JOB, name)
  FIELDS[name] = false
  emit(string.match(told, '(%S+)$'), '{}')
end

-- An advance that is given up is due once more, told why, to end the job failed with what there is; where that cannot be
-- done either, it is ended here.
local function give_up_advance(item, phase, error)
  local input = cjson.encode({given_up = error})
  if redis.call('HSETNX', DEAD, item, letter('flow.advance', phase, error)) == 0 then
    return end_job('failed', cjson.encode({reason = 'the flow could not go on: ' .. error}))
  end
  redis.call('HSET', ITEMS, item, phase .. ' flow.advance ' .. input)
  redis.call('HDEL', LEASE, item)
  redis.call('ZADD', DUE, string.format('%d', now()), item)
  never_sent(item)
  emit_item('item.dead', item, 'flow.advance', ',"error":' .. cjson.encode(error))
end

-- Give an item up: a dead letter and a degraded result, so that the job still ends.
local function give_up(item, phase, step, error)
  if step == 'flow.advance' then return give_up_advance(item, phase, error) end
  redis.call('HSET', DEAD, item, letter(step, phase, error))
  take_back(item)
  record(item, phase, step, '!' .. error)
  emit_item('item.dead', item, step, ',"error":' .. cjson.encode(error))
end

-- Drop an item of a closed phase. One that waited when the deadline passed is given up instead, so that the job tells why.
local function drop(item)
  local child = redis.call('HGET', CHILD, item)
  if child then cancel_later(child) end
  redis.call('HDEL', CHILD, item)
  local waited = field('late') and (redis.call('HGET', HOLD, why_field(item)) or field('put_off'))
  if waited then
    local phase, step = describe(item)
    return give_up(item, phase, step, waited .. LATE)
  end
  redis.call('HINCRBY', JOB, 'dropped', 1)
  forget(item)
end

-- Count a lease that ran out; true if the item was given up for it.
local function count_lost(item, phase, step)
  redis.call('HDEL', LEASE, item)
  add_to_fields({'leases_lost', 1})
  local lost = redis.call('HINCRBY', LOST, item, 1)
  emit_item('lease.lost', item, step, ',"times":' .. lost)
  if lost >= DEAD_AFTER then
    give_up(item, phase, step, 'its worker died ' .. lost .. ' times, twice of these in quarantine')
    return true
  end
  return false
end

local function is_quarantined(item)
  return setting('leases_lost') > 0 and tonumber(redis.call('HGET', LOST, item) or '0') >= QUARANTINE_AFTER
end

-- Add the events of a step: name, data, name, data … from ARGV[first] on, `count` pairs.
local function emit_all(first, count)
  for i = first, first + 2 * count - 2, 2 do emit(ARGV[i], ARGV[i + 1]) end
end

local function cap_field(phase, step) return 'cap:' .. phase .. ':' .. step end

-- Admit the items of ARGV from `first` on that were never seen before, within their steps' caps: id, step, input, delay
-- in ms, `count` of them. Returns those added; what they count for is put on the list of amounts, or added if none is
-- given.
local function admit_all(phase, first, count, amounts)
  local added, due, unsent, steps, caps, counts = {}, {}, {}, {}, {}, {}
  for i = first, first + 4 * count - 4, 4 do
    local item, step, delay = ARGV[i], ARGV[i + 1], tonumber(ARGV[i + 3])
    if not counts[step] then
      steps[#steps + 1], counts[step], caps[step] = step, 0, tonumber(field(cap_field(phase, step)) or nil)
    end
    local room = not caps[step] or counts[step] < caps[step]
    if room and redis.call('HSETNX', ITEMS, item, phase .. ' ' .. step .. ' ' .. ARGV[i + 2]) == 1 then
      counts[step], added[#added + 1] = counts[step] + 1, item
      due[#due + 1], due[#due + 2] = string.format('%d', now() + (delay > 0 and delay or setting('resend_ms'))), item
      if delay > 0 then unsent[#unsent + 1], unsent[#unsent + 2] = sent_field(item), '0' end
    end
  end
  if #due > 0 then redis.call('ZADD', DUE, unpack(due)) end
  if #unsent > 0 then redis.call('HSET', SENT, unpack(unsent)) end
  local sums = amounts or {}
  for _, step in ipairs(steps) do
    if counts[step] > 0 then
      sums[#sums + 1], sums[#sums + 2] = 'items:' .. step, counts[step]
      if caps[step] then sums[#sums + 1], sums[#sums + 2] = cap_field(phase, step), -counts[step] end
    end
  end
  if not amounts then add_to_fields(sums) end
  return added
end

-- A whole page of the list still fits into the window: the cursor to go on from, or -1.
local function room()
  if FIELDS.cursor == nil then read_fields({'cursor', 'size', 'window'}) end
  local cursor, size, window = setting('cursor'), setting('size'), setting('window')
  local page = math.max(1, math.min(PAGE, math.floor(window / 2)))
  if cursor < size and redis.call('ZCARD', DUE) + page <= window then return cursor end
  return -1
end
