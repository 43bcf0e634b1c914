-- Shared by the scripts that take messages, which they book as held. The first two KEYS: what is held (a hash), when it
-- was taken (a zset).
local function labels(text)
  local properties = cjson.decode(text).properties
  local info = properties.delivery_info
  return properties.delivery_tag, cjson.encode(info.exchange), cjson.encode(info.routing_key)
end

-- Book messages, and return their tags. A text that cannot be read is not booked, as nobody could give it back.
local function book(time, texts)
  local held, times, tags = {}, {}, {}
  for _, text in ipairs(texts) do
    local readable, tag, exchange, key = pcall(labels, text)
    if readable and type(tag) == 'string' then
      held[#held + 1], held[#held + 2] = tag, '[' .. text .. ',' .. exchange .. ',' .. key .. ']'
      times[#times + 1], times[#times + 2] = time, tag
      tags[#tags + 1] = tag
    end
  end
  if #tags > 0 then
    redis.call('ZADD', KEYS[2], unpack(times))
    redis.call('HSET', KEYS[1], unpack(held))
  end
  return tags
end

-- Take what is done off the books: the tags from ARGV's nth on.
local function take_off(nth)
  if #ARGV < nth then return end
  redis.call('ZREM', KEYS[2], unpack(ARGV, nth))
  redis.call('HDEL', KEYS[1], unpack(ARGV, nth))
end
