-- Count a job as one in flight of its caller, where there is room. KEYS: the caller's slots (a zset by time).
-- ARGV: job, how many there may be, milliseconds after which slots nobody takes are forgotten.
-- Returns there (it is counted already) | taken | full.
local clock = redis.call('TIME')
redis.call('PEXPIRE', KEYS[1], ARGV[3])
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 'there' end
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 'full' end
redis.call('ZADD', KEYS[1], clock[1] + clock[2] / 1000000, ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 'taken'
