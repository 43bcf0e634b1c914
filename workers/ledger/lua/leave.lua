-- Take an ended job whose outbox is empty out of the index of active jobs, the last key, and let it expire; any other is
-- in the index afterwards. Returns 1 where its end is to be counted now, else 0.
if redis.call('HGET', JOB, 'state') == 'running' or redis.call('HLEN', OUTBOX) > 0 then
  put_into_index()
  return {0}
end
redis.call('ZREM', KEYS[#KEYS], job_id())
if redis.call('HDEL', JOB, 'uncounted') == 0 then return {0} end
for i = 1, #KEYS - 1 do redis.call('PEXPIRE', KEYS[i], setting('keep_ms')) end
return {1}
