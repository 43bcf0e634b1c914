-- When the oldest messages of some tenants were sent that wait for their turns. ARGV: tenants.
-- Returns tenant, priority, seconds as text …, of those messages that say so.
local sent = {}
local function sent_at(text) return cjson.decode(text).headers.sent_at end
for _, tenant in ipairs(ARGV) do
  for priority = 0, LAST[3] do
    local text = redis.call('LINDEX', backlog_key(tenant, priority), -1)
    local readable, at = pcall(sent_at, text or '')
    if readable and type(at) == 'number' then
      sent[#sent + 1], sent[#sent + 2], sent[#sent + 3] = tenant, priority, score(at)
    end
  end
end
return sent
