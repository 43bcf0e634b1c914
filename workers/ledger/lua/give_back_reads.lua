-- Give back what a reader took, so that others may read it. ARGV: epoch, reader, names … Returns gone | given.
if not is_open(ARGV[1]) then return {'gone'} end
for i = 3, #ARGV do
  if redis.call('HGET', READS, ARGV[i]) == ARGV[2] then redis.call('HDEL', READS, ARGV[i]) end
end
return {'given'}
