-- Hand the row of an ended job over to history and strike that off the outbox: both or neither, so once an end.
-- ARGV: the epoch that it ended in, its row ('' where none is kept), how many rows may wait. The rows that wait are the
-- last key. Returns none | kept | lost, where too many wait already.
local job = redis.call('HMGET', JOB, 'state', 'epoch')
if job[1] == 'running' or job[2] ~= ARGV[1] then return {'none'} end
local lost = ARGV[2] ~= '' and redis.call('HLEN', KEYS[#KEYS]) >= tonumber(ARGV[3])
-- First what frees: a full Redis lets a script write that has begun so.
if redis.call('HDEL', OUTBOX, 'history') == 0 then return {'none'} end
if lost then return {'lost'} end
if ARGV[2] ~= '' then redis.call('HSET', KEYS[#KEYS], job_id() .. ' ' .. ARGV[1], ARGV[2]) end
return {'kept'}
