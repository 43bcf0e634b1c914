-- Record an item's result, once, with its children and events; the first result wins, whoever brings it.
-- ARGV: epoch, item, token, result, milliseconds, calls, prompt tokens, completion tokens, count of events,
-- (name, data) …, count of children, (id, step, input, delay) …, and where something is given back: its reader,
-- names …
-- Returns done | gone, or recorded, the item that advances the flow or '', room's cursor, children added, results.
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
local children = tonumber(ARGV[at])
if setting('closing') ~= phase then added = admit_all(phase, at + 1, children) end
-- With the result or not at all: one whose item is being done again must not give back what its twin is shown.
local reader = at + 1 + 4 * children
for i = reader + 1, #ARGV do
  if redis.call('HGET', READS, ARGV[i]) == ARGV[reader] then redis.call('HDEL', READS, ARGV[i]) end
end
local advance = drain(ARGV[3])
return {'recorded', advance or '', room(), added, redis.call('HLEN', RESULT)}
