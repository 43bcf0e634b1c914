-- Take back results of an ended job, a few hundred at a time. ARGV: its epoch, count of items to make due again, item …,
-- items to remove … Returns gone (it runs, or ran again) | prepared.
local job = redis.call('HMGET', JOB, 'state', 'epoch')
if not job[1] or job[1] == 'running' or job[2] ~= ARGV[1] then return {'gone'} end
local count = tonumber(ARGV[2])
for i = 3, #ARGV do
  local item = ARGV[i]
  local _, step = describe(item)
  if step then
    if redis.call('HDEL', RESULT, item) == 1 then redis.call('HINCRBY', JOB, 'done:' .. step, -1) end
    redis.call('HDEL', TRIES, item)
    redis.call('HDEL', LOST, item)
    if i <= 2 + count then
      redis.call('ZADD', DUE, string.format('%d', now()), item)
      never_sent(item)
    else
      redis.call('HINCRBY', JOB, 'items:' .. step, -1)
      redis.call('HDEL', ITEMS, item)
    end
  end
end
if redis.call('PTTL', JOB) >= 0 then -- else it has not left the index: leave.lua lets it expire
  for _, key in ipairs({DUE, SENT}) do redis.call('PEXPIRE', key, setting('keep_ms')) end
end
return {'prepared'}
