-- Take an item's lease. ARGV: epoch, item, token, 1 in a quarantine worker, 1 if the spec is wanted, the worker's own
-- length of a lease in milliseconds: the job's leases become as long, as a worker renews them by its own.
-- Returns done | gone | later | busy, each with the step whose lease was lost, if one was, and 1 if it was given up
-- for that; or go, step, phase, input, tries, spec, request id, the step again if its lease was lost, or '', trace.
local item, token = ARGV[2], ARGV[3]
local names = {'state', 'epoch', 'closing', 'lease_ms', 'leases_lost', 'tried', 'told:' .. item}
if ARGV[5] == '1' then
  for _, name in ipairs({'spec', 'request', 'trace'}) do names[#names + 1] = name end
end
read_fields(names)
if not is_open(ARGV[1]) then return {'gone'} end
if not redis.call('ZSCORE', DUE, item) then return {done_or_gone(item)} end
local phase, step, input = describe(item)
local till, hold_left = held_till(item)
if till then return {'later'} end
local holder, expiry = lease_of(item)
local lost = ''
if holder and holder ~= token then
  if expiry > now() then return {'busy'} end
  lost = step
  if count_lost(item, phase, step) then
    drain(nil)
    return {'gone', lost, '1'}
  end
end
if holder ~= token and is_closed(phase, step) then
  drop(item)
  drain(nil)
  return {'gone', lost}
end
if is_quarantined(item) and ARGV[4] ~= '1' then
  redis.call('ZADD', DUE, string.format('%d', now()), item)
  return {'later', lost}
end
if hold_left then redis.call('HDEL', HOLD, item) end
forget_sends(item)
if tonumber(ARGV[6]) > setting('lease_ms') then
  FIELDS.lease_ms = ARGV[6]
  redis.call('HSET', JOB, 'lease_ms', ARGV[6])
end
grant(item, token)
if holder ~= token then
  local worker = string.match(token, '^%x+@(.+)$')
  emit_item('item.begun', item, step, worker and ',"worker":' .. cjson.encode(worker))
  take_back(item)
end
local spec, request, trace = FIELDS.spec, FIELDS.request, FIELDS.trace
if ARGV[5] ~= '1' then spec = '' end
local tries = setting('tried') > 0 and redis.call('HGET', TRIES, item) or '0'
return {'go', step, phase, input, tries, spec, request or '', lost, trace or ''}
