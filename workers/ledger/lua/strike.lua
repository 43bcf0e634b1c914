-- Strike an entry off the outbox where it still is what was read. ARGV: the epoch that it was read in, entry, its value.
-- Returns 1 where it was struck, else 0.
if redis.call('HGET', JOB, 'epoch') ~= ARGV[1] or redis.call('HGET', OUTBOX, ARGV[2]) ~= ARGV[3] then return {0} end
return {redis.call('HDEL', OUTBOX, ARGV[2])}
