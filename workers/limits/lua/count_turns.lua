-- Count calls as in flight. ARGV: begin or renew, then class, call, ms for which it counts …
-- begin: calls that were sent while nothing was counted; they were among those that the endpoint refused one of, so they
-- raise what is allowed since. renew: calls that are still counted, by the worker that waits for them.
local began = ARGV[1] == 'begin'
for i = 2, #ARGV, 3 do
  local flying = ARGV[i] == 'bulk' and BULK or INTERACTIVE
  if began then
    redis.call('ZADD', flying, whole(NOW + ARGV[i + 2]), ARGV[i + 1])
  else
    redis.call('ZADD', flying, 'XX', 'GT', whole(NOW + ARGV[i + 2]), ARGV[i + 1])
  end
  redis.call('PEXPIRE', flying, KEPT)
end
local allowed = began and number('allowed')
if allowed then redis.call('HSET', STATE, 'allowed', tostring(allowed + DECREASE * (#ARGV - 1) / 3)) end
return 0
