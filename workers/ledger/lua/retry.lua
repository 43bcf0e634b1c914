-- Open an ended, prepared job again under a new epoch. ARGV: phase, parent ('' to leave). Returns running | the new epoch.
if redis.call('HGET', JOB, 'state') == 'running' then return {'running'} end
redis.call('DEL', DEAD, OUTBOX)
redis.call('HSET', JOB, 'state', 'running', 'phase', ARGV[1], 'closing', '-1', 'cursor',
  redis.call('HGET', JOB, 'size') or '0')
redis.call('HDEL', JOB, 'outcome', 'ended', 'closed_for')
if ARGV[2] ~= '' then redis.call('HSET', JOB, 'parent', ARGV[2]) end
local timeout = setting('timeout_ms')
if timeout > 0 then
  redis.call('HSET', JOB, 'deadline', string.format('%d', NOW + timeout),
    'hard_deadline', string.format('%d', NOW + timeout + setting('grace_ms')))
end
for _, key in ipairs(KEYS) do redis.call('PERSIST', key) end
emit('job.retried', '{}')
return {'open', redis.call('HINCRBY', JOB, 'epoch', 1)}
