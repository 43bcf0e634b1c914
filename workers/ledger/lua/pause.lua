-- Give a job that has not ended one more reason to pause. ARGV: key of all pauses, root, kind of the reason, its record,
-- '' or the field of a limit that was met with its value, kinds … most important first. Returns new | known: it has one of
-- this kind | ended | raised: the limit is another by now.
local paused, root, kind = ARGV[1], ARGV[2], ARGV[3]
local state = redis.call('HGET', JOB, 'state')
if state and state ~= 'running' then return {'ended'} end
if ARGV[5] ~= '' and tonumber(redis.call('HGET', JOB, ARGV[5])) ~= tonumber(ARGV[6]) then return {'raised'} end
local first = redis.call('HGET', paused, root)
local first_kind = first and cjson.decode(first).kind
if first_kind == kind or redis.call('HEXISTS', paused, root .. ' ' .. kind) == 1 then return {'known'} end
local rank = {}
for i = 7, #ARGV do rank[ARGV[i]] = i end
if first and (rank[first_kind] or 0) < rank[kind] then
  redis.call('HSET', paused, root .. ' ' .. kind, ARGV[4])
else
  if first then redis.call('HSET', paused, root .. ' ' .. first_kind, first) end
  redis.call('HSET', paused, root, ARGV[4])
end
return {'new'}
