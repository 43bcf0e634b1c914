-- Results of a job of very many items leave Redis: a page in the blob store holds them. ARGV: epoch, state that the job
-- must be in, the page's record, how many of them are dead letters, item …
-- Returns gone | moved: not all of them are here any more, another worker has stored them | spooled.
local job = redis.call('HMGET', JOB, 'state', 'epoch')
if job[1] ~= ARGV[2] or job[2] ~= ARGV[1] then return {'gone'} end
for i = 5, #ARGV do
  if redis.call('HEXISTS', RESULT, ARGV[i]) == 0 then return {'moved'} end
end
for i = 5, #ARGV do
  for _, key in ipairs({RESULT, ITEMS, DEAD, TRIES, LOST}) do redis.call('HDEL', key, ARGV[i]) end
end
redis.call('RPUSH', PAGES, ARGV[3])
redis.call('HINCRBY', JOB, 'dead_spooled', ARGV[4])
return {'spooled'}
