-- Say how a line stands. KEYS: as in turns_prelude. Returns ms of the endpoint's pause, calls allowed ('' unlimited by
-- refusals), calls in flight of bulk and of interactive work, requests and tokens of the last minute, who waits.
local clock = redis.call('TIME')
local NOW = clock[1] * 1000 + math.floor(clock[2] / 1000)
local now = string.format('%d', NOW)
local door = redis.call('GET', KEYS[2])
door = door and cmsgpack.unpack(door) or {{}, {}}
local sums, second = {0, 0}, math.floor(NOW / 1000)
for dimension, counts in ipairs(door) do
  for one, count in pairs(counts) do
    if one > second - 60 and one <= second then sums[dimension] = sums[dimension] + count end
  end
end
return {
  math.max(0, tonumber(redis.call('GET', KEYS[6]) or '0') - NOW),
  redis.call('HGET', KEYS[1], 'allowed') or '',
  redis.call('ZCOUNT', KEYS[3], now, '+inf'), redis.call('ZCOUNT', KEYS[4], now, '+inf'),
  sums[1], sums[2], redis.call('ZRANGEBYSCORE', KEYS[5], now, '+inf'),
}
