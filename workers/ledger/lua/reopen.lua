-- Open an ended job of very many items again under a new epoch: a phase's list begins anew with what is left to do.
-- ARGV: its epoch, phase, manifest, its size, step of its items, how many of that step stay done, page record …
-- Returns gone | open, the new epoch; the same again where the reply was lost.
local job = redis.call('HMGET', JOB, 'state', 'epoch')
if job[1] == 'running' and tonumber(job[2]) == ARGV[1] + 1 then return {'open', job[2]} end
if not job[1] or job[1] == 'running' or job[2] ~= ARGV[1] then return {'gone'} end
redis.call('DEL', PAGES, DEAD, RESULT, ITEMS, TRIES, LOST)
for i = 7, #ARGV do redis.call('RPUSH', PAGES, ARGV[i]) end
redis.call('HDEL', OUTBOX, 'parent')
redis.call('HDEL', JOB, 'outcome', 'ended', 'closed_for')
for _, field in ipairs(redis.call('HKEYS', JOB)) do
  if string.match(field, '^items:') or string.match(field, '^done:') or string.match(field, '^failed:') then
    redis.call('HDEL', JOB, field)
  end
end
redis.call('HSET', JOB, 'state', 'running', 'phase', ARGV[2], 'closing', '-1', 'manifest', ARGV[3], 'size', ARGV[4],
  'cursor', '0', 'dead_spooled', '0', 'items:' .. ARGV[5], ARGV[6], 'done:' .. ARGV[5], ARGV[6])
for _, key in ipairs(KEYS) do redis.call('PERSIST', key) end
put_into_index()
emit('job.retried', '{}')
return {'open', redis.call('HINCRBY', JOB, 'epoch', 1)}
