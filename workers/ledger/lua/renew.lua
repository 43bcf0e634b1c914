-- Renew leases. ARGV: epoch, then item, token …; returns 1 or 0 for each: 0 is a lease that is no longer ours.
local kept = {}
read_fields({'state', 'epoch', 'lease_ms'})
local open = is_open(ARGV[1])
for i = 2, #ARGV, 2 do
  local holder = open and lease_of(ARGV[i])
  local ours = holder == ARGV[i + 1] and redis.call('ZSCORE', DUE, ARGV[i])
  if ours then grant(ARGV[i], ARGV[i + 1]) end
  kept[#kept + 1] = ours and 1 or 0
end
return kept
