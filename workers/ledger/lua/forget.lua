-- Remove an ended job altogether, unless it has begun anew. ARGV: the epoch that it ended in. Returns stays | gone.
local job = redis.call('HMGET', JOB, 'state', 'epoch')
if job[1] == 'running' or job[2] ~= ARGV[1] then return {'stays'} end
redis.call('UNLINK', unpack(KEYS))
return {'gone'}
