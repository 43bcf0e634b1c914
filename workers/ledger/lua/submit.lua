-- Create a job with its first items, once, and put it into the index of active jobs, the last key.
-- Returns created, its epoch | exists | conflict, the spec that it has.
-- ARGV: spec, parent ('' for none), count of fields, field, value …, count of items, (id, step, input, delay) …
local existing = redis.call('HGET', JOB, 'spec')
if existing then
  if existing ~= ARGV[1] then return {'conflict', existing} end
  if redis.call('HGET', JOB, 'state') == 'running' then put_into_index() end
  return {'exists'}
end
local epoch = '1'
if ARGV[2] ~= '' then
  -- A child may be forgotten and created again: what is left of an earlier life must find it gone.
  epoch = clock[1] .. string.format('%06d', clock[2])
  redis.call('HSET', JOB, 'parent', ARGV[2], 'first_epoch', epoch)
end
redis.call('HSET', JOB, 'spec', ARGV[1], 'state', 'running', 'phase', '0', 'epoch', epoch, 'created',
  string.format('%d', NOW), 'closing', '-1')
put_into_index()
local fields = tonumber(ARGV[3])
for i = 4, 4 + 2 * fields - 2, 2 do redis.call('HSET', JOB, ARGV[i], ARGV[i + 1]) end
local timeout = setting('timeout_ms')
if timeout > 0 then
  redis.call('HSET', JOB, 'deadline', string.format('%d', NOW + timeout),
    'hard_deadline', string.format('%d', NOW + timeout + setting('grace_ms')))
end
emit('job.submitted', '{}')
local at = 4 + 2 * fields
admit_all(0, at + 1, tonumber(ARGV[at]))
drain(nil)
return {'created', epoch}
