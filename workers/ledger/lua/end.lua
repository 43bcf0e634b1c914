-- End a job; the first caller wins. ARGV: epoch ('' for any), state, outcome, and of a child that is ended for its
-- parent: the parent's epoch ('' for any); one that was opened for a newer goes on. Last, of a flow that came to its
-- end, the item that advances it: where another worker has done that item, the flow went on. Returns gone | ended.
if redis.call('HGET', JOB, 'state') ~= 'running' then return {'gone'} end
if ARGV[1] ~= '' and redis.call('HGET', JOB, 'epoch') ~= ARGV[1] then return {'gone'} end
local parent = ARGV[4] ~= '' and redis.call('HGET', JOB, 'parent')
if parent and cjson.decode(parent).epoch > tonumber(ARGV[4]) then return {'gone'} end
if ARGV[5] then
  if not redis.call('ZSCORE', DUE, ARGV[5]) then return {'gone'} end
  if ARGV[2] ~= 'failed' then redis.call('HDEL', DEAD, ARGV[5]) end -- given up, yet a slow worker came to the end
end
end_job(ARGV[2], ARGV[3])
return {'ended'}
