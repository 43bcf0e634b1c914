-- Close a phase early: no new items, those without a valid lease are dropped. ARGV: epoch, phase, why, 1 if the deadline
-- has passed: then those that waited for something are given up, which says for what.
-- Returns gone | closed, the item that advances the flow or ''.
if not is_open(ARGV[1]) or redis.call('HGET', JOB, 'phase') ~= ARGV[2] then return {'gone'} end
if redis.call('HGET', JOB, 'closing') ~= ARGV[2] then
  redis.call('HSET', JOB, 'closing', ARGV[2], 'closed_for', ARGV[3])
  if ARGV[4] == '1' then redis.call('HSET', JOB, 'late', '1') end
  local list = redis.call('HMGET', JOB, 'cursor', 'size', 'window', 'manifest')
  if tonumber(list[1] or '0') < tonumber(list[2] or '0') then -- kept for a retry
    redis.call('HSET', JOB, 'rest:' .. ARGV[2], table.concat(list, ' '), 'cursor', list[2])
  end
  emit('phase.closed', '{"phase":' .. ARGV[2] .. ',"why":' .. cjson.encode(ARGV[3]) .. '}')
end
local advances = 'advance:' .. (tonumber(ARGV[2]) + 1)
for _, item in ipairs(redis.call('ZRANGE', DUE, 0, BATCH - 1)) do -- the watchdog drops what is beyond
  local _, expiry = lease_of(item)
  if item ~= advances and expiry <= now() then drop(item) end
end
return {'closed', drain(nil) or ''}
