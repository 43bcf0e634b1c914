-- Take what only one item of the job may read. ARGV: epoch, reader, the most, names …
-- Returns gone, or taken, the names that are the reader's, in the given order.
if not is_open(ARGV[1]) then return {'gone'} end
local most, taken = tonumber(ARGV[3]), {}
for i = 4, #ARGV do
  if #taken >= most then break end
  redis.call('HSETNX', READS, ARGV[i], ARGV[2])
  if redis.call('HGET', READS, ARGV[i]) == ARGV[2] then taken[#taken + 1] = ARGV[i] end
end
return {'taken', taken}
