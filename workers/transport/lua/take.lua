-- Take further messages, and book these and one taken before as held. They are of the same list; where tenants share
-- the queue, those that are served next, and then what has room is let out. KEYS: what is held, when it was taken, the
-- list; then those of the shared queue. ARGV: the time, how many more, the text of the one before, tags of what is
-- done …
-- Returns the texts of the further ones.
local more, shared, texts = tonumber(ARGV[2]), #KEYS > 3, {}
if not shared and more > 0 then texts = redis.call('RPOP', KEYS[3], more) or {} end
while shared and #texts < more do
  local text = take_next()
  if not text then break end
  texts[#texts + 1] = text
end
local tags = book(ARGV[1], { ARGV[3], unpack(texts) })
if shared and #tags > 0 then redis.call('SADD', HELD, unpack(tags)) end
take_off(4)
if shared and #ARGV > 3 then redis.call('SREM', HELD, unpack(ARGV, 4)) end
if shared then let_out() end
return texts
