-- Record an item's result, once, with its children and events; the first result wins, whoever brings it.
-- ARGV: epoch, item, token, result, milliseconds, calls, prompt tokens, completion tokens, count of events,
-- (name, data) …, count of children, (id, step, input, delay) …, count of notes, notes …, and where something is
-- given back: its reader, names …
-- Returns done | gone, or recorded, the item that advances the flow or '', room's cursor, children added, results
-- that are here, which are counted once in some items of a step: 0 for not counted.
local COUNTED = 4 -- one of so many
local item, events = ARGV[2], tonumber(ARGV[9])
local at = 10 + 2 * events
local children = tonumber(ARGV[at])
local phase, step = describe(item)
local names = {
  'state', 'epoch', 'closing', 'resend_ms', 'cursor', 'size', 'window', 'leases_lost', 'tried', 'delegated',
  'put_offs', 'put_off',
}
local sums = {}
if step then
  sums = {'done:' .. step, 1, 'ms:' .. step, ARGV[5], 'own_calls', ARGV[6], 'own_prompt', ARGV[7],
    'own_completion', ARGV[8]}
  for i = 1, #sums, 2 do names[#names + 1] = sums[i] end
  local last
  for i = at + 2, at + 4 * children, 4 do
    if ARGV[i] ~= last then
      last = ARGV[i]
      names[#names + 1], names[#names + 2] = cap_field(phase, last), 'items:' .. last
    end
  end
end
read_fields(names)
if not is_open(ARGV[1]) then return {'gone'} end
if not redis.call('ZSCORE', DUE, item) then return {done_or_gone(item)} end
keep_result(item, phase, step, ARGV[4]) -- the first to write: a full Redis refuses it, and so the whole
forget(item, true)
if FIELDS.put_off then redis.call('HDEL', JOB, 'put_off') end
if setting('delegated') > 0 then redis.call('HDEL', CHILD, item) end
emit_all(10, events)
local tokens = ARGV[7] + ARGV[8]
local told = tokens > 0 and string.format(',"tokens":%d', tokens) or ''
emit_item('item.done', item, step, ',"ms":' .. ARGV[5] .. told)
local added = {}
if setting('closing') ~= phase then added = admit_all(phase, at + 1, children, sums) end
add_to_fields(sums)
-- With the result or not at all: one whose item is being done again must not give back what its twin is shown.
local notes = at + 1 + 4 * children
local reader = notes + 1 + tonumber(ARGV[notes])
if reader > notes + 1 then
  local kept = tonumber(redis.call('HGET', READS, NOTES) or '0')
  for i = notes + 1, math.min(reader - 1, notes + NOTES_KEPT - kept) do
    kept = kept + 1
    redis.call('HSET', READS, NOTE .. kept, ARGV[i])
  end
  redis.call('HSET', READS, NOTES, kept)
end
for i = reader + 1, #ARGV do
  if redis.call('HGET', READS, ARGV[i]) == ARGV[reader] then redis.call('HDEL', READS, ARGV[i]) end
end
local advance = drain(ARGV[3])
local results = setting('done:' .. step) % COUNTED == 0 and redis.call('HLEN', RESULT) or 0
return {'recorded', advance or '', room(), added, results}
