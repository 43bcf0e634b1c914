-- Set limits of a running job anew. ARGV: what is limited (calls, tokens, cost in millionths), its limit …
-- Returns gone | low, what, how much of it is spent or booked: nothing was set | raised.
if redis.call('HGET', JOB, 'state') ~= 'running' then return {'gone'} end
for i = 1, #ARGV, 2 do
  local booked = setting('booked_' .. ARGV[i])
  if tonumber(ARGV[i + 1]) <= booked then return {'low', ARGV[i], booked} end
end
for i = 1, #ARGV, 2 do redis.call('HSET', JOB, 'limit_' .. ARGV[i], ARGV[i + 1]) end
return {'raised'}
