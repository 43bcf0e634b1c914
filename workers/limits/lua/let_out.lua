-- Let out of a queue that tenants share what has room: who took the last ones may have died before. And forget some of
-- what such workers held, as its messages were given back.
for _, tag in ipairs(redis.call('SRANDMEMBER', HELD, 20)) do
  if redis.call('HEXISTS', BOOKS, tag) == 0 then redis.call('SREM', HELD, tag) end
end
let_out()
