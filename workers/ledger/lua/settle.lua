-- Replace a booked bound by what the call took. ARGV: call, calls that reached the model, prompt and completion tokens,
-- cost in millionths ('' unknown), epoch of the job whose booking outlives its worker ('' for a call): in that one it is
-- not booked again; then limiters, each with the ms that it made calls wait. What is never settled stays counted as
-- spent. Returns 1 if the call was booked.
if redis.call('EXISTS', JOB) == 0 then return 0 end
for i = 7, #ARGV - 1, 2 do redis.call('HINCRBY', JOB, 'waited:' .. ARGV[i], ARGV[i + 1]) end
local closed = 'settled:' .. ARGV[1]
if ARGV[6] ~= '' and setting(closed) < tonumber(ARGV[6]) then redis.call('HSET', JOB, closed, ARGV[6]) end
local booked = redis.call('HGET', CALLS, ARGV[1])
if not booked then return 0 end
redis.call('HDEL', CALLS, ARGV[1])
local tokens, cost, calls, since = string.match(booked, '^(%d+) (%d*) ?(%d*) ?(%S*)')
calls, cost = tonumber(calls) or 1, tonumber(cost) or 0
if since == 'lasting' then
  redis.call('HINCRBY', JOB, 'unawaited_calls', 0 - calls)
  redis.call('HINCRBY', JOB, 'unawaited_tokens', 0 - tokens)
  redis.call('HINCRBY', JOB, 'unawaited_cost', 0 - cost)
end
redis.call('HINCRBY', JOB, 'booked_calls', ARGV[2] - calls)
redis.call('HINCRBY', JOB, 'booked_tokens', ARGV[3] + ARGV[4] - tokens)
redis.call('HINCRBY', JOB, 'booked_cost', (tonumber(ARGV[5]) or 0) - cost)
redis.call('HINCRBY', JOB, 'spent_calls', ARGV[2])
redis.call('HINCRBY', JOB, 'spent_prompt', ARGV[3])
redis.call('HINCRBY', JOB, 'spent_completion', ARGV[4])
if ARGV[5] ~= '' then redis.call('HINCRBY', JOB, 'spent_cost', ARGV[5]) end
return 1
