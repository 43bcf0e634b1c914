-- Take back results of an ended job, a few hundred at a time. ARGV: count of items to make due again, item …, items to
-- remove … Returns running | prepared.
if redis.call('HGET', JOB, 'state') == 'running' then return {'running'} end
local count = tonumber(ARGV[1])
for i = 2, 1 + count do
  local _, step = describe(ARGV[i])
  if redis.call('HDEL', RESULT, ARGV[i]) == 1 then redis.call('HINCRBY', JOB, 'done:' .. step, -1) end
  redis.call('HDEL', TRIES, ARGV[i])
  redis.call('HDEL', LOST, ARGV[i])
  redis.call('ZADD', DUE, string.format('%d', NOW), ARGV[i])
end
for i = 2 + count, #ARGV do
  local _, step = describe(ARGV[i])
  if step then
    if redis.call('HDEL', RESULT, ARGV[i]) == 1 then redis.call('HINCRBY', JOB, 'done:' .. step, -1) end
    redis.call('HINCRBY', JOB, 'items:' .. step, -1)
    redis.call('HDEL', ITEMS, ARGV[i])
  end
end
redis.call('PEXPIRE', DUE, setting('keep_ms'))
return {'prepared'}
