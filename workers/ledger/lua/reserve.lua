-- Book a model call's upper bound on the job that pays. ARGV: call, tokens, cost in millionths ('' unknown), how many
-- calls it stands for, ms after which a call that was not settled is lost.
-- Returns gone | refused, what is used up, its limit, why: full | busy (calls in flight may leave room) | unknown (the
-- cost, though it is limited) | reserved. What is booked is never above a limit.
if redis.call('HGET', JOB, 'state') ~= 'running' then return {'gone'} end
if redis.call('HEXISTS', CALLS, ARGV[1]) == 1 then return {'reserved'} end
local bounds = {
  {'calls', tonumber(ARGV[4])}, {'tokens', tonumber(ARGV[2])}, {'cost', tonumber(ARGV[3] ~= '' and ARGV[3] or '0')},
}

-- What the calls in flight have booked at most gives room again; what a dead worker booked never does.
local function in_flight(name)
  local sum, known = 0, redis.call('HVALS', CALLS)
  for _, booked in ipairs(known) do
    local tokens, cost, calls, since = string.match(booked, '^(%d+) (%d*) (%d+) (%d+)$')
    if since and calls == '1' and NOW - tonumber(since) < tonumber(ARGV[5]) then
      sum = sum + (tonumber(({calls = calls, tokens = tokens, cost = cost})[name]) or 0)
    end
  end
  return sum
end

for _, bound in ipairs(bounds) do
  local name, amount = bound[1], bound[2]
  local limit = redis.call('HGET', JOB, 'limit_' .. name)
  if limit then
    if name == 'cost' and ARGV[3] == '' then return {'refused', name, limit, 'unknown'} end
    local over = setting('booked_' .. name) + amount - tonumber(limit)
    if over > 0 then return {'refused', name, limit, over > in_flight(name) and 'full' or 'busy'} end
  end
end
for _, bound in ipairs(bounds) do redis.call('HINCRBY', JOB, 'booked_' .. bound[1], bound[2]) end
redis.call('HSET', CALLS, ARGV[1], ARGV[2] .. ' ' .. ARGV[3] .. ' ' .. ARGV[4] .. ' ' .. string.format('%d', NOW))
return {'reserved'}
