-- The oldest message that waits by tenant, for each of the ten lists of a queue that they share; '' where none does.
local oldest, sent = {}, {}
local function sent_at(text) return cjson.decode(text).headers.sent_at end
for priority = 0, LAST[3] do oldest[priority + 1] = '' end
for class = 1, #LAST do
  for _, tenant in ipairs(redis.call('ZRANGE', turns_key(class), 0, -1)) do
    for priority = first_of(class), LAST[class] do
      local text = redis.call('LINDEX', backlog_key(tenant, priority), -1)
      local readable, at = pcall(sent_at, text or '')
      if readable and type(at) == 'number' and (not sent[priority] or at < sent[priority]) then
        sent[priority], oldest[priority + 1] = at, text
      end
    end
  end
end
return oldest
