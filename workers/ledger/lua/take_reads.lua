-- Take what only one item of the job may read. ARGV: epoch, reader, the most, names …
-- Returns gone, or taken, the names that are the reader's, in the given order.
if not is_open(ARGV[1]) then return {'gone'} end
local reader, most, taken = ARGV[2], tonumber(ARGV[3]), {}
local holders = redis.call('HMGET', READS, unpack(ARGV, 4))
-- What it holds comes before what is free: an item that is done again reads what it read, although another has
-- given back a better name since; else it would hold names that nobody reads.
local room = most
for i = 1, #holders do
  if holders[i] == reader then room = room - 1 end
end
for i = 1, #holders do
  local name = ARGV[i + 3]
  if holders[i] == reader and #taken < most then
    taken[#taken + 1] = name
  elseif not holders[i] and room > 0 then
    redis.call('HSET', READS, name, reader)
    room = room - 1
    taken[#taken + 1] = name
  end
end
return {'taken', taken}
