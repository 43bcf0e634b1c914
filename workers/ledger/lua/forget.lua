-- Remove an ended job altogether. Returns running | gone.
if redis.call('HGET', JOB, 'state') == 'running' then return {'running'} end
redis.call('UNLINK', unpack(KEYS))
return {'gone'}
