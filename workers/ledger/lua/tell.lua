-- Emit provisional events of an item while the caller's lease on it is valid; who begins it next takes them back.
-- ARGV: epoch, item, token, name of the event that takes them back, number of the first event, count of events,
-- (name, data) … Events that were told before, by their numbers, are passed over.
-- Returns told | gone (the lease is not the caller's) | ended (so is the job, or this epoch of it).
local item, field = ARGV[2], 'told:' .. ARGV[2]
if not is_open(ARGV[1]) then return {'ended'} end
local holder, expiry = lease_of(item)
if holder ~= ARGV[3] or expiry <= now() then return {'gone'} end
local before = tonumber(string.match(redis.call('HGET', JOB, field) or '0', '^%d+'))
local first, count = tonumber(ARGV[5]), tonumber(ARGV[6])
local new = math.max(first, before + 1)
local last = first + count - 1
if last < new then return {'told'} end
emit_all(7 + 2 * (new - first), last - new + 1)
redis.call('HSET', JOB, field, string.format('%d', last) .. ' ' .. ARGV[4])
return {'told'}
