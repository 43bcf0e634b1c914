-- Take further messages, and book these and one taken before as held. They are of the same list; where tenants share
-- the queue, those that are served next, and then what has room is let out. KEYS: what is held (a hash), when it was
-- taken (a zset), the list; then those of the shared queue. ARGV: the time, how many more, the text of the one before,
-- tags of what is done …
-- Returns the texts of the further ones. A text that cannot be read is not booked, as nobody could give it back.
local more, shared, texts = tonumber(ARGV[2]), #KEYS > 3, {}
if not shared and more > 0 then texts = redis.call('RPOP', KEYS[3], more) or {} end
while shared and #texts < more do
  local text = take_next()
  if not text then break end
  texts[#texts + 1] = text
end
local function labels(text)
  local properties = cjson.decode(text).properties
  local info = properties.delivery_info
  return properties.delivery_tag, cjson.encode(info.exchange), cjson.encode(info.routing_key)
end
local held, times, tags = {}, {}, {}
local function book(text)
  local readable, tag, exchange, key = pcall(labels, text)
  if not readable or type(tag) ~= 'string' then return end
  held[#held + 1], held[#held + 2] = tag, '[' .. text .. ',' .. exchange .. ',' .. key .. ']'
  times[#times + 1], times[#times + 2] = ARGV[1], tag
  tags[#tags + 1] = tag
end
book(ARGV[3])
for _, text in ipairs(texts) do book(text) end
if #held > 0 then
  redis.call('ZADD', KEYS[2], unpack(times))
  redis.call('HSET', KEYS[1], unpack(held))
  if shared then redis.call('SADD', HELD, unpack(tags)) end
end
if #ARGV > 3 then
  redis.call('ZREM', KEYS[2], unpack(ARGV, 4))
  redis.call('HDEL', KEYS[1], unpack(ARGV, 4))
  if shared then redis.call('SREM', HELD, unpack(ARGV, 4)) end
end
if shared then let_out() end
return texts
