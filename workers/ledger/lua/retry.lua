-- Open an ended, prepared job again under a new epoch, in the index of active jobs, the last key.
-- ARGV: its epoch, phase, parent ('' to leave). Returns gone, also where the parent's item no longer waits | open, the
-- new epoch; the same again where the reply was lost.
local job = redis.call('HMGET', JOB, 'state', 'epoch', 'phase', 'size')
if job[1] == 'running' and tonumber(job[2]) == ARGV[1] + 1 then return {'open', job[2]} end
if not job[1] or job[1] == 'running' or job[2] ~= ARGV[1] then return {'gone'} end
if ARGV[3] ~= '' and not waits(cjson.decode(ARGV[3])) then return {'gone'} end
redis.call('DEL', DEAD)
redis.call('HDEL', OUTBOX, 'parent', 'trace')
-- A closed phase goes on with the rest of its list, and the phase that the job ended in where it stood; the list of any
-- other was admitted to its end.
local cursor, size, window, manifest = string.match(
  redis.call('HGET', JOB, 'rest:' .. ARGV[2]) or '', '^(%d+) (%d+) (%d+) (.*)$')
if cursor then
  redis.call('HSET', JOB, 'cursor', cursor, 'size', size, 'window', window, 'manifest', manifest)
elseif job[3] ~= ARGV[2] then
  redis.call('HSET', JOB, 'cursor', job[4] or '0')
end
for _, field in ipairs(redis.call('HKEYS', JOB)) do
  local closed = string.match(field, '^rest:(%d+)$')
  if closed and tonumber(closed) >= tonumber(ARGV[2]) then redis.call('HDEL', JOB, field) end
  -- All children that failed are done again, and counted again if they fail again.
  if field ~= 'failed:doubted' and string.find(field, '^failed:') then redis.call('HDEL', JOB, field) end
end
redis.call('HSET', JOB, 'state', 'running', 'phase', ARGV[2], 'closing', '-1')
redis.call('HDEL', JOB, 'outcome', 'ended', 'closed_for', 'late', 'put_off')
if ARGV[3] ~= '' then redis.call('HSET', JOB, 'parent', ARGV[3]) end
local timeout = setting('timeout_ms')
if timeout > 0 then
  redis.call('HSET', JOB, 'deadline', string.format('%d', now() + timeout),
    'hard_deadline', string.format('%d', now() + timeout + setting('grace_ms')))
end
for _, key in ipairs(KEYS) do redis.call('PERSIST', key) end
put_into_index()
emit('job.retried', '{}')
drain(nil)
return {'open', redis.call('HINCRBY', JOB, 'epoch', 1)}
