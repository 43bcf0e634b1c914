-- Take reasons to pause from a job. ARGV: key of all pauses, root, 1 if only from a job that does not run, count of the
-- kinds that are taken, kind …, all kinds … most important first. Returns the records that were taken.
local paused, root = ARGV[1], ARGV[2]
if ARGV[3] == '1' and redis.call('HGET', JOB, 'state') == 'running' then return {} end
local count, taken = tonumber(ARGV[4]), {}
for i = 5, 4 + count do
  local first = redis.call('HGET', paused, root)
  local field = first and cjson.decode(first).kind == ARGV[i] and root or root .. ' ' .. ARGV[i]
  taken[#taken + 1] = redis.call('HGET', paused, field) or nil
  redis.call('HDEL', paused, field)
end
-- The most important one that is left is the one that workers of the version before know of.
for i = 5 + count, #ARGV do
  local field = root .. ' ' .. ARGV[i]
  local left = redis.call('HGET', paused, field)
  if left and redis.call('HSETNX', paused, root, left) == 1 then redis.call('HDEL', paused, field) end
end
return taken
