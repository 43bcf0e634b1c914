-- Finish a delegated item by the end of its child; a child that was not done is a dead letter too, to be retried.
-- ARGV: epoch, item, token ('' leaves the advance to the watchdog), result, error ('' for none), name and data of the
-- event that tells of it, 1 if it failed.
-- Returns done | gone, or recorded, the item that advances or '', room's cursor, nothing added, results that are here,
-- pages of those that have left, items of the step that are done, and how many failed, until the job was doubted.
local item = ARGV[2]
if not is_open(ARGV[1]) then return {'gone'} end
if redis.call('HEXISTS', RESULT, item) == 1 then return {'done'} end
if not redis.call('ZSCORE', DUE, item) then return {'gone'} end
local phase, step = describe(item)
if ARGV[5] ~= '' then
  redis.call('HSET', DEAD, item, letter(step, phase, ARGV[5]))
end
record(item, phase, step, ARGV[4])
redis.call('HDEL', CHILD, item)
redis.call('HDEL', JOB, 'put_off') -- what the job waited for is there
emit(ARGV[6], ARGV[7])
emit_item('item.done', item, step)
redis.call('HINCRBY', JOB, 'failed:' .. step, ARGV[8])
return {'recorded', drain(ARGV[3] ~= '' and ARGV[3]) or '', room(), {}, redis.call('HLEN', RESULT), redis.call('LLEN', PAGES),
  setting('done:' .. step), setting('failed:doubted') == 0 and setting('failed:' .. step) or 0}
