-- Take messages of a queue, and book them as held with the taking. KEYS: what is held, when it was taken, the queue's
-- lists, the most urgent first. ARGV: the time, how many at most, tags of what is done …
-- Returns their texts.
local most, texts = tonumber(ARGV[2]), {}
for nth = 3, #KEYS do
  if #texts == most then break end
  for _, text in ipairs(redis.call('RPOP', KEYS[nth], most - #texts) or {}) do texts[#texts + 1] = text end
end
book(ARGV[1], texts)
take_off(3)
return texts
