-- Give a tenant the turn back of a message whose work was put off: it is sent again, and costs another.
-- ARGV: priority, API key ('' for none), collection.
local class, tenant = class_of(tonumber(ARGV[1])), tenant_of(ARGV[2], ARGV[3])
local others = weights_of(class)
if others > 0 then redis.call('SET', virtual_key(class), score(virtual_time(class) - 1 / others)) end
for _, key in ipairs({turns_key(class), rested_key(class)}) do
  local start = redis.call('ZSCORE', key, tenant)
  if start then redis.call('ZADD', key, score(tonumber(start) - 1 / weight_of(tenant)), tenant) end
end
