-- Admit the next items of a phase's manifest. ARGV: epoch, the cursor they begin at, count, (id, step, input, delay) …
-- Returns gone | moved, or admitted, room's cursor, items added.
if not is_open(ARGV[1]) then return {'gone'} end
if redis.call('HGET', JOB, 'cursor') ~= ARGV[2] or setting('closing') == setting('phase') then return {'moved'} end
local count = tonumber(ARGV[3])
redis.call('HINCRBY', JOB, 'cursor', count)
local added = admit_all(setting('phase'), 4, count)
drain(nil)
return {'admitted', room(), added}
