-- Replace a booked bound by what the call took. ARGV: call, calls that reached the model, prompt and completion tokens,
-- cost in millionths ('' unknown), epoch of the job whose booking outlives its worker ('' for a call): in that one it is
-- not booked again; the model ('' not known); then limiters, each with the ms that it made calls wait. What is never
-- settled stays counted as spent. Returns 1 if the call was booked.
local names = {
  'state', 'booked_calls', 'booked_tokens', 'booked_cost', 'spent_calls', 'spent_prompt', 'spent_completion',
  'spent_cost', 'written_off:' .. ARGV[1],
}
local sums = {}
for i = 8, #ARGV - 1, 2 do
  sums[#sums + 1], sums[#sums + 2] = 'waited:' .. ARGV[i], ARGV[i + 1]
  names[#names + 1] = 'waited:' .. ARGV[i]
end
local function of_model(sum) return 'model:' .. sum .. ':' .. ARGV[7] end
if ARGV[7] ~= '' then
  for _, sum in ipairs({'calls', 'prompt', 'completion', 'cost'}) do names[#names + 1] = of_model(sum) end
end
read_fields(names)
if not FIELDS.state then return 0 end
local written_off = FIELDS['written_off:' .. ARGV[1]]
local function add(name, amount) sums[#sums + 1], sums[#sums + 2] = name, amount end
local closed = 'settled:' .. ARGV[1]
if ARGV[6] ~= '' and setting(closed) < tonumber(ARGV[6]) then redis.call('HSET', JOB, closed, ARGV[6]) end
local booked = redis.call('HGET', CALLS, ARGV[1]) or written_off
if not booked then
  add_to_fields(sums)
  return 0
end
redis.call('HDEL', CALLS, ARGV[1])
if written_off then redis.call('HDEL', JOB, 'written_off:' .. ARGV[1]) end
local tokens, cost, calls, since = string.match(booked, '^(%d+) (%d*) ?(%d*) ?(%S*)')
calls, cost = tonumber(calls) or 1, tonumber(cost) or 0
if since == 'lasting' then
  add('unawaited_calls', 0 - calls)
  add('unawaited_tokens', 0 - tokens)
  add('unawaited_cost', 0 - cost)
end
add('booked_calls', ARGV[2] - calls)
add('booked_tokens', ARGV[3] + ARGV[4] - tokens)
add('booked_cost', (tonumber(ARGV[5]) or 0) - cost)
add('spent_calls', ARGV[2])
add('spent_prompt', ARGV[3])
add('spent_completion', ARGV[4])
if ARGV[5] ~= '' then add('spent_cost', ARGV[5]) end
if ARGV[7] ~= '' and tonumber(ARGV[2]) > 0 then
  add(of_model('calls'), ARGV[2])
  add(of_model('prompt'), ARGV[3])
  add(of_model('completion'), ARGV[4])
  if ARGV[5] ~= '' then add(of_model('cost'), ARGV[5]) end
end
add_to_fields(sums)
return 1
