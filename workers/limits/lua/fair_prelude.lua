-- Shared by the scripts of a queue that tenants share: who is let out next. Fair queueing by start times: a message of a
-- tenant costs it 1 / its weight of the queue's time, and whose next one starts earliest is served. With each message the
-- virtual time, at which who comes starts, goes on by 1 / the weights of all that wait, as in WF2Q+ (Bennett and Zhang
-- 1997): so who waits is reached, however many come after it.
-- The last 14 KEYS: what the names of the queue's own keys begin with, weights of tenants (hash), what workers hold of
-- all queues (hash: tag to message), which tags of these are this queue's (set; a few of them may be off the books), and
-- the queue's ten lists, from which workers take. The last of ARGV: as JSON, the last list of jobs of each
-- class of priority; each class is served before the next.
local FIRST = #KEYS - 13
local LAST = cjson.decode(table.remove(ARGV))
local BASE, WEIGHTS, BOOKS, HELD = KEYS[FIRST], KEYS[FIRST + 1], KEYS[FIRST + 2], KEYS[FIRST + 3]
-- Messages that lie in the lists at a time, to wake who waits there; who takes is given the others itself. What lies is
-- served before who comes. One alone, taken by a worker that dies, would leave nothing that wakes the others.
local OUT = 2

local function list_key(priority) return KEYS[FIRST + 4 + priority] end
local function backlog_key(tenant, priority) return BASE .. ':of:' .. priority .. ':' .. tenant end
-- Of a class: when the next message of each tenant that waits starts (a zset); the end of the last one of those that
-- do not (a zset); the latest start that was served; the virtual time; as many entries as there are messages.
local function turns_key(class) return BASE .. ':turns:' .. class end
local function rested_key(class) return BASE .. ':rested:' .. class end
local function time_key(class) return BASE .. ':time:' .. class end
local function virtual_key(class) return BASE .. ':virtual:' .. class end
local function count_key(class) return BASE .. ':waiting:' .. class end

local function class_of(priority) return priority <= LAST[1] and 1 or priority <= LAST[2] and 2 or 3 end
local function first_of(class) return class == 1 and 0 or LAST[class - 1] + 1 end
local function weight_of(tenant) return tonumber(redis.call('HGET', WEIGHTS, tenant) or '1') end
-- A collection that has a weight is a tenant, whoever works on it; else the API key is one ('' for none); of what comes
-- without a key, the collection.
local function tenant_of(key, collection)
  local tenant = 'collection ' .. collection
  if key ~= '' and redis.call('HEXISTS', WEIGHTS, tenant) == 0 then return 'key ' .. key end
  return tenant
end
local function score(value) return string.format('%.17g', value) end

local function virtual_time(class) return tonumber(redis.call('GET', virtual_key(class)) or '0') end

-- The weights of all tenants that wait; few have one of their own.
local function weights_of(class)
  local sum, named = redis.call('ZCARD', turns_key(class)), redis.call('HGETALL', WEIGHTS)
  for i = 1, #named, 2 do
    if redis.call('ZSCORE', turns_key(class), named[i]) then sum = sum + tonumber(named[i + 1]) - 1 end
  end
  return sum
end

-- A tenant that comes is served at once, for as many messages as its share of those that workers hold of this queue;
-- after that by its weight. One that was served lately does not begin anew.
local function start_of(class, tenant)
  local others = weights_of(class)
  if others == 0 then return 0 end
  local start = virtual_time(class) - redis.call('SCARD', HELD) / (others + weight_of(tenant))
  return math.max(start, tonumber(redis.call('ZSCORE', rested_key(class), tenant) or start))
end

-- Let the virtual time go on by one message that starts then. Where it runs ahead of those who wait, as new ones were
-- served before them, it is soon back: whoever comes after these have gone is served at once again.
local SOON = 10 -- times what workers hold
local function go_on(class, start)
  local time = virtual_time(class)
  local ahead = math.max(0, time - start) / (SOON * (redis.call('SCARD', HELD) + 4))
  redis.call('SET', virtual_key(class), score(math.max(start, time + 1 / weights_of(class) - ahead)))
end

local function put(tenant, priority, text)
  local class = class_of(priority)
  redis.call('LPUSH', backlog_key(tenant, priority), text)
  redis.call('LPUSH', count_key(class), '')
  if redis.call('ZSCORE', turns_key(class), tenant) then return end
  redis.call('ZADD', turns_key(class), score(start_of(class, tenant)), tenant)
  redis.call('ZREM', rested_key(class), tenant)
end

-- The oldest of the most urgent messages of a tenant, and its list; and whether it has more of the class.
local function pop(class, tenant)
  local text, list
  for priority = first_of(class), LAST[class] do
    local key = backlog_key(tenant, priority)
    if not text then
      text, list = redis.call('RPOP', key), list_key(priority)
    end
    if redis.call('EXISTS', key) == 1 then return text, list, true end
  end
  return text, list, false
end

-- A class in which nobody waits begins anew; its count, too, may be of messages that somebody has deleted.
local function forget_if_idle(class)
  if redis.call('EXISTS', turns_key(class)) == 1 then return end
  redis.call('DEL', rested_key(class), time_key(class), virtual_key(class), count_key(class))
end

-- Take the next message of a class out of what waits; return it and its list, or false if none waits.
local serve
function serve(class)
  local turn = redis.call('ZRANGE', turns_key(class), 0, 0, 'WITHSCORES')
  if #turn == 0 then return false end
  local tenant, start = turn[1], tonumber(turn[2])
  local text, list, more = pop(class, tenant)
  if not text then -- somebody has deleted its messages
    redis.call('ZREM', turns_key(class), tenant)
    forget_if_idle(class)
    return serve(class)
  end
  redis.call('RPOP', count_key(class))
  local time = math.max(start, tonumber(redis.call('GET', time_key(class)) or '0'))
  redis.call('SET', time_key(class), score(time))
  go_on(class, start)
  local stop = score(start + 1 / weight_of(tenant))
  if more then
    redis.call('ZADD', turns_key(class), stop, tenant)
  else
    redis.call('ZREM', turns_key(class), tenant)
    redis.call('ZADD', rested_key(class), stop, tenant)
    -- Of those that rest for so long nothing is to be known: when they come, they start before their last one ended.
    local latest = virtual_time(class) - 10 * redis.call('SCARD', HELD)
    redis.call('ZREMRANGEBYSCORE', rested_key(class), '-inf', score(latest))
    forget_if_idle(class)
  end
  return text, list
end

-- The message that is served next, whether it lies in a list or waits; false if there is none.
local function take_next()
  for class = 1, #LAST do
    for priority = first_of(class), LAST[class] do
      local text = redis.call('RPOP', list_key(priority))
      if text then return text end
    end
    local text = serve(class)
    if text then return text end
  end
  return false
end

-- Let messages out until as many lie in the lists as may.
local function let_out()
  local lying = 0
  for class = 1, #LAST do
    for priority = first_of(class), LAST[class] do lying = lying + redis.call('LLEN', list_key(priority)) end
    while lying < OUT do
      local text, list = serve(class)
      if not text then break end
      redis.call('LPUSH', list, text)
      lying = lying + 1
    end
  end
end
