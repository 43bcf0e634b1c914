-- Open the next phase, whole and once: record the advance item, set the phase, admit its first items.
-- ARGV: epoch, item, token, manifest, its size, window, count of caps, (step, cap) …, count of items, (id, step, input, delay) …, subjects or ''
-- Returns done | gone, or opened (late, where the deadline has passed and what was waited for is not there), the item
-- that advances again or '', room's cursor, items added.
local item = ARGV[2]
if not is_open(ARGV[1]) then return {'gone'} end
if not redis.call('ZSCORE', DUE, item) then return {done_or_gone(item)} end
local phase = describe(item) + 1
record(item, phase - 1, 'flow.advance', '{}')
redis.call('HDEL', DEAD, item) -- given up, yet a slow worker goes on
local opened = {'phase', phase, 'closing', '-1', 'manifest', ARGV[4], 'size', ARGV[5], 'cursor', '0', 'window', ARGV[6]}
local caps = tonumber(ARGV[7])
for i = 8, 8 + 2 * caps - 2, 2 do
  opened[#opened + 1], opened[#opened + 2] = cap_field(phase, ARGV[i]), ARGV[i + 1]
end
redis.call('HSET', JOB, unpack(opened))
local at = 8 + 2 * caps
local count = tonumber(ARGV[at])
local subjects = ARGV[at + 1 + 4 * count] or ''
local added = admit_all(phase, at + 1, count)
if ARGV[4] ~= '' then redis.call('HSET', JOB, 'cursor', count) end
emit('phase.opened', '{"phase":' .. phase .. ',"items":' .. math.max(count, tonumber(ARGV[5])) ..
  ',"step":"' .. (count > 0 and ARGV[at + 2] or '') .. '"' ..
  (subjects ~= '' and ',"subjects":' .. subjects or '') .. '}')
local verdict = field('late') and field('put_off') and 'late' or 'opened'
return {verdict, drain(ARGV[3]) or '', room(), added}
