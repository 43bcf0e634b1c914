-- Replace a booked bound by what the call took. ARGV: call, calls that reached the model, prompt and completion tokens,
-- cost in millionths ('' unknown); then limiters, each with the ms that it made calls wait. What is never settled stays
-- counted as spent. Returns 1 if the call was booked.
if redis.call('EXISTS', JOB) == 0 then return 0 end
for i = 6, #ARGV - 1, 2 do redis.call('HINCRBY', JOB, 'waited:' .. ARGV[i], ARGV[i + 1]) end
local booked = redis.call('HGET', CALLS, ARGV[1])
if not booked then return 0 end
redis.call('HDEL', CALLS, ARGV[1])
local tokens, cost, calls = string.match(booked, '^(%d+) (%d*) ?(%d*)')
redis.call('HINCRBY', JOB, 'booked_calls', tonumber(ARGV[2]) - (tonumber(calls) or 1))
redis.call('HINCRBY', JOB, 'booked_tokens', ARGV[3] + ARGV[4] - tokens)
redis.call('HINCRBY', JOB, 'booked_cost', (tonumber(ARGV[5]) or 0) - (tonumber(cost) or 0))
redis.call('HINCRBY', JOB, 'spent_calls', ARGV[2])
redis.call('HINCRBY', JOB, 'spent_prompt', ARGV[3])
redis.call('HINCRBY', JOB, 'spent_completion', ARGV[4])
if ARGV[5] ~= '' then redis.call('HINCRBY', JOB, 'spent_cost', ARGV[5]) end
return 1
