-- Book a model call's upper bound on the job that pays. ARGV: call, tokens, cost in millionths ('' unknown),
-- how many calls it stands for.
-- Returns gone | refused, what is used up | reserved.
if redis.call('HGET', JOB, 'state') ~= 'running' then return {'gone'} end
if redis.call('HEXISTS', CALLS, ARGV[1]) == 1 then return {'reserved'} end
local bounds = {
  {'calls', tonumber(ARGV[4])}, {'tokens', tonumber(ARGV[2])}, {'cost', tonumber(ARGV[3] ~= '' and ARGV[3] or '0')},
}
for _, bound in ipairs(bounds) do
  local limit = redis.call('HGET', JOB, 'limit_' .. bound[1])
  if limit and setting('booked_' .. bound[1]) + bound[2] > tonumber(limit) then return {'refused', bound[1], limit} end
end
for _, bound in ipairs(bounds) do redis.call('HINCRBY', JOB, 'booked_' .. bound[1], bound[2]) end
redis.call('HSET', CALLS, ARGV[1], ARGV[2] .. ' ' .. ARGV[3] .. ' ' .. ARGV[4])
return {'reserved'}
