-- Note audit events that wait to be written; one that is noted again takes the place of the first.
-- KEYS: events that wait. ARGV: how many may wait, then id and event of each. Returns the ids that found no room.
local lost = {}
local waiting = redis.call('HLEN', KEYS[1])
for at = 2, #ARGV, 2 do
  if waiting >= tonumber(ARGV[1]) and redis.call('HEXISTS', KEYS[1], ARGV[at]) == 0 then
    lost[#lost + 1] = ARGV[at]
  else
    waiting = waiting + redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1])
  end
end
return lost
