-- Open the next phase, whole and once: record the advance item, set the phase, admit its first items.
-- ARGV: epoch, item, token, manifest, its size, window, count of caps, (step, cap) …, count of items, (id, step, input, delay) …
-- Returns done | gone, or opened, the item that advances again or '', room's cursor, items added.
local item = ARGV[2]
if not is_open(ARGV[1]) then return {'gone'} end
if redis.call('HEXISTS', RESULT, item) == 1 then return {'done'} end
if not redis.call('ZSCORE', DUE, item) then return {'gone'} end
local phase = describe(item) + 1
record(item, phase - 1, 'flow.advance', '{}')
redis.call('HSET', JOB, 'phase', phase, 'closing', '-1', 'manifest', ARGV[4], 'size', ARGV[5], 'cursor', '0',
  'window', ARGV[6])
local caps = tonumber(ARGV[7])
for i = 8, 8 + 2 * caps - 2, 2 do redis.call('HSET', JOB, 'cap:' .. phase .. ':' .. ARGV[i], ARGV[i + 1]) end
local at = 8 + 2 * caps
local count = tonumber(ARGV[at])
local added = admit_all(phase, at + 1, count)
if ARGV[4] ~= '' then redis.call('HSET', JOB, 'cursor', count) end
emit('phase.opened', '{"phase":' .. phase .. ',"items":' .. math.max(count, tonumber(ARGV[5])) ..
  ',"step":"' .. (ARGV[at + 2] or '') .. '"}')
return {'opened', drain(ARGV[3]) or '', room(), added}
