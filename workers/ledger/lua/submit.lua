-- Create a job with its first items, once, and put it into the index of active jobs, the last key, and of the newest
-- ones, the keys before that.
-- Returns created, its epoch | exists | conflict, the spec that it has | unwanted: the parent's item no longer waits.
-- ARGV: spec, parent ('' for none), how many of the newest are kept, count of fields, field, value …,
-- count of items, (id, step, input, delay) …
local seconds, micros = clock()
-- Two of the oldest at most, so that a list holds hardly more than what has not expired.
local function forget_expired(newest)
  for _, id in ipairs(redis.call('ZRANGE', newest, 0, 1)) do
    if id ~= job_id() and redis.call('EXISTS', 'hop:{' .. id .. '}:job') == 0 then
      redis.call('ZREM', newest, id)
    end
  end
end
for nth = 17, #KEYS - 1 do
  redis.call('ZADD', KEYS[nth], 'NX', seconds + micros / 1000000, job_id())
  redis.call('ZREMRANGEBYRANK', KEYS[nth], 0, -1 - ARGV[3])
  forget_expired(KEYS[nth])
end
local existing = redis.call('HGET', JOB, 'spec')
if existing then
  if existing ~= ARGV[1] then return {'conflict', existing} end
  if redis.call('HGET', JOB, 'state') == 'running' then put_into_index() end
  return {'exists'}
end
local epoch = '1'
if ARGV[2] ~= '' then
  if not waits(cjson.decode(ARGV[2])) then return {'unwanted'} end
  -- A child may be forgotten and, for a retry, created again: what is left of an earlier life must find it gone.
  epoch = seconds .. string.format('%06d', micros)
  redis.call('HSET', JOB, 'parent', ARGV[2], 'first_epoch', epoch)
end
redis.call('HSET', JOB, 'spec', ARGV[1], 'state', 'running', 'phase', '0', 'epoch', epoch, 'created',
  string.format('%d', now()), 'closing', '-1')
put_into_index()
local fields = tonumber(ARGV[4])
if fields > 0 then redis.call('HSET', JOB, unpack(ARGV, 5, 4 + 2 * fields)) end
local timeout = setting('timeout_ms')
if timeout > 0 then
  redis.call('HSET', JOB, 'deadline', string.format('%d', now() + timeout),
    'hard_deadline', string.format('%d', now() + timeout + setting('grace_ms')))
end
local told = '{}' -- a tag may be named acted_by, too
if string.find(ARGV[1], '"acted_by":"[^"]') then
  local spec = cjson.decode(ARGV[1])
  if spec.acted_by ~= '' then told = cjson.encode({acted_by = spec.acted_by, principals = spec.principals}) end
end
emit('job.submitted', told)
local at = 5 + 2 * fields
admit_all(0, at + 1, tonumber(ARGV[at]))
drain(nil)
return {'created', epoch}
