-- Set the hours that a running job keeps. ARGV: (field, value) … Returns gone | set.
if redis.call('HGET', JOB, 'state') ~= 'running' then return {'gone'} end
redis.call('HSET', JOB, unpack(ARGV))
return {'set'}
