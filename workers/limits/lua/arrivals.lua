-- Let messages out of tenants that have come lately, ahead of all that lies in the lists, as their turns are before
-- others'. ARGV: how many at most. Returns how many.
local function arrivals(class, most)
  local time, texts = tonumber(redis.call('GET', time_key(class)) or '0'), {}
  while #texts < most do
    local turn = redis.call('ZRANGE', turns_key(class), 0, 0, 'WITHSCORES')
    if #turn == 0 or tonumber(turn[2]) >= time then break end
    local text = serve(class)
    if not text then break end
    texts[#texts + 1] = text
  end
  for nth = #texts, 1, -1 do redis.call('RPUSH', list_key(first_of(class)), texts[nth]) end
  return #texts
end
for class = 1, #LAST do -- those behind the first in which somebody waits have to wait for it
  if redis.call('EXISTS', turns_key(class)) == 1 then return arrivals(class, tonumber(ARGV[1])) end
end
return 0
