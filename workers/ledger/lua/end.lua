-- End a job; the first caller wins. ARGV: epoch ('' for any), state, outcome. Returns gone | ended.
if redis.call('HGET', JOB, 'state') ~= 'running' then return {'gone'} end
if ARGV[1] ~= '' and redis.call('HGET', JOB, 'epoch') ~= ARGV[1] then return {'gone'} end
end_job(ARGV[2], ARGV[3])
return {'ended'}
