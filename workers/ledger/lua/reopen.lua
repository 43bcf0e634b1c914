-- Open an ended job of very many items again under a new epoch: a phase's list begins anew with what is left to do.
-- The index of active jobs is the last key.
-- ARGV: its epoch, phase, manifest, its size, count of the pages that the caller has read, count of the steps that begin
-- anew, (step, how many of it stay done) …, record of each page that stays …
-- Returns gone, also where another retry has stored more pages | open, the new epoch; the same again where the reply was
-- lost.
local job = redis.call('HMGET', JOB, 'state', 'epoch')
if job[1] == 'running' and tonumber(job[2]) == ARGV[1] + 1 then return {'open', job[2]} end
if not job[1] or job[1] == 'running' or job[2] ~= ARGV[1] then return {'gone'} end
if redis.call('LLEN', PAGES) ~= tonumber(ARGV[5]) then return {'gone'} end
local phase, steps = tonumber(ARGV[2]), tonumber(ARGV[6])
redis.call('DEL', PAGES, DEAD, TRIES, LOST)
for i = 7 + 2 * steps, #ARGV do redis.call('RPUSH', PAGES, ARGV[i]) end
-- Earlier phases stay as they are; of this one its window is left, as its results are in pages by now.
for _, hash in ipairs({RESULT, ITEMS}) do
  local values = redis.call('HGETALL', hash)
  for i = 1, #values, 2 do
    if tonumber(string.match(values[i + 1], '^%d+')) >= phase then redis.call('HDEL', hash, values[i]) end
  end
end
redis.call('HDEL', OUTBOX, 'parent', 'trace')
redis.call('HDEL', JOB, 'outcome', 'ended', 'closed_for', 'late', 'put_off')
for i = 7, 5 + 2 * steps, 2 do
  for _, count in ipairs({'items:', 'done:', 'failed:'}) do redis.call('HDEL', JOB, count .. ARGV[i]) end
  if ARGV[i + 1] ~= '0' then redis.call('HSET', JOB, 'items:' .. ARGV[i], ARGV[i + 1], 'done:' .. ARGV[i], ARGV[i + 1]) end
end
for _, field in ipairs(redis.call('HKEYS', JOB)) do
  local closed = string.match(field, '^rest:(%d+)$')
  if closed and tonumber(closed) >= phase then redis.call('HDEL', JOB, field) end
end
redis.call('HSET', JOB, 'state', 'running', 'phase', ARGV[2], 'closing', '-1', 'manifest', ARGV[3], 'size', ARGV[4],
  'cursor', '0', 'dead_spooled', '0')
for _, key in ipairs(KEYS) do redis.call('PERSIST', key) end
put_into_index()
emit('job.retried', '{}')
return {'open', redis.call('HINCRBY', JOB, 'epoch', 1)}
