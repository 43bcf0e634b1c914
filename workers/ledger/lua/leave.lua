-- Take an ended job whose outbox is empty out of the index of active jobs, the last key; any other is in it afterwards.
-- Returns 1 where its end is to be counted now, else 0.
if redis.call('HGET', JOB, 'state') == 'running' or redis.call('HLEN', OUTBOX) > 0 then
  put_into_index()
  return {0}
end
redis.call('ZREM', KEYS[#KEYS], job_id())
return {redis.call('HDEL', JOB, 'uncounted')}
