-- Make an item due at once whose message was left, as its job pauses: the first look at the job sends it.
-- ARGV: epoch, item. Returns gone | kept: it has a lease or a hold | due.
local item = ARGV[2]
if not is_open(ARGV[1]) or not redis.call('ZSCORE', DUE, item) then return {'gone'} end
if lease_of(item) or held_till(item) then return {'kept'} end
forget_sends(item)
never_sent(item)
redis.call('ZADD', DUE, string.format('%d', now()), item)
return {'due'}
