-- Record an item's result, once, with its children and events; the first result wins, whoever brings it.
-- ARGV: epoch, item, token, result, milliseconds, calls, prompt tokens, completion tokens, count of events,
-- (name, data) …, count of children, (id, step, input, delay) …
-- Returns done | gone, or recorded, the item that advances the flow or '', room's cursor, children added.
local item = ARGV[2]
if not is_open(ARGV[1]) then return {'gone'} end
if redis.call('HEXISTS', RESULT, item) == 1 then return {'done'} end
if not redis.call('ZSCORE', DUE, item) then return {'gone'} end
local phase, step = describe(item)
record(item, phase, step, ARGV[4])
redis.call('HDEL', CHILD, item)
redis.call('HINCRBY', JOB, 'ms:' .. step, ARGV[5])
redis.call('HINCRBY', JOB, 'own_calls', ARGV[6])
redis.call('HINCRBY', JOB, 'own_prompt', ARGV[7])
redis.call('HINCRBY', JOB, 'own_completion', ARGV[8])
local events = tonumber(ARGV[9])
emit_all(10, events)
emit_item('item.done', item, step, ',"ms":' .. ARGV[5])
local at = 10 + 2 * events
local added = {}
if setting('closing') ~= phase then added = admit_all(phase, at + 1, tonumber(ARGV[at])) end
local advance = drain(ARGV[3])
return {'recorded', advance or '', room(), added}
