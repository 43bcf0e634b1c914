-- Results of a job of very many items leave Redis: a page in the blob store holds them. ARGV: epoch, the page's record,
-- how many of them are dead letters, item …
-- Returns gone | moved: not all of them are here any more, another worker has stored them | spooled.
if not is_open(ARGV[1]) then return {'gone'} end
for i = 4, #ARGV do
  if redis.call('HEXISTS', RESULT, ARGV[i]) == 0 then return {'moved'} end
end
for i = 4, #ARGV do
  for _, key in ipairs({RESULT, ITEMS, DEAD, TRIES, LOST}) do redis.call('HDEL', key, ARGV[i]) end
end
redis.call('RPUSH', PAGES, ARGV[2])
redis.call('HINCRBY', JOB, 'dead_spooled', ARGV[3])
return {'spooled'}
