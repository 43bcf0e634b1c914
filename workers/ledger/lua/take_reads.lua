-- Take what only one item of the job may read, or, where the most is 0, look who reads it; and tell what the job's
-- items have shared. ARGV: epoch, reader, the most, notes told, names …
-- Returns gone, or taken, the names that are the reader's, those that are others', notes, oldest first.
if not is_open(ARGV[1]) then return {'gone'} end
local reader, most, told = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local count = #ARGV - 4
local own = {unpack(ARGV, 5)}
own[count + 1], own[count + 2] = SEEN .. reader, NOTES
local holders = redis.call('HMGET', READS, unpack(own))
local taken, others, fresh = {}, {}, {}
-- What it holds comes before what is free: an item that is done again reads what it read, although another has
-- given back a better name since; else it would hold names that nobody reads.
local room = most
for i = 1, count do
  if holders[i] == reader then room = room - 1 end
end
for i = 1, count do
  local name = ARGV[i + 4]
  if holders[i] == reader then
    if #taken < most then taken[#taken + 1] = name end
  elseif holders[i] then
    others[#others + 1] = name
  elseif room > 0 then
    fresh[#fresh + 1], fresh[#fresh + 2] = name, reader
    room = room - 1
    taken[#taken + 1] = name
  end
end
-- An item that is done again is told what it was told, so that its model is asked the same.
local shared = tonumber(holders[count + 1] or holders[count + 2] or '0')
if not holders[count + 1] then fresh[#fresh + 1], fresh[#fresh + 2] = SEEN .. reader, shared end
if #fresh > 0 then redis.call('HSET', READS, unpack(fresh)) end
local fields = {}
for i = math.max(1, shared - told + 1), shared do fields[#fields + 1] = NOTE .. i end
return {'taken', taken, others, #fields > 0 and redis.call('HMGET', READS, unpack(fields)) or {}}
