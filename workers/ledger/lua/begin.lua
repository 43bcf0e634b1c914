-- Take an item's lease. ARGV: epoch, item, token, 1 in a quarantine worker, 1 if the spec is wanted.
-- Returns done | gone | later | busy, each with the step whose lease was lost, if one was, and 1 if it was given up
-- for that; or go, step, phase, input, tries, spec, request id, the step again if its lease was lost, or ''.
local item, token = ARGV[2], ARGV[3]
if not is_open(ARGV[1]) then return {'gone'} end
if redis.call('HEXISTS', RESULT, item) == 1 then return {'done'} end
if not redis.call('ZSCORE', DUE, item) then return {'gone'} end
local phase, step, input = describe(item)
if held_till(item) then return {'later'} end
local holder, expiry = lease_of(item)
local lost = ''
if holder and holder ~= token then
  if expiry > NOW then return {'busy'} end
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
  redis.call('ZADD', DUE, string.format('%d', NOW), item)
  return {'later', lost}
end
redis.call('HDEL', HOLD, item)
forget_sends(item)
grant(item, token)
if holder ~= token then
  emit_item('item.begun', item, step)
  take_back(item)
end
local told = ARGV[5] == '1' and redis.call('HMGET', JOB, 'spec', 'request') or {'', ''}
return {'go', step, phase, input, redis.call('HGET', TRIES, item) or '0', told[1], told[2] or '', lost}
