-- Record a failed attempt. ARGV: epoch, item, token, error, 1 if permanent, milliseconds to wait at least,
-- milliseconds, calls, prompt tokens, completion tokens. Returns gone | again, or dead, the item that advances or '',
-- room's cursor. An advance that is dead is due once more, see give_up.
local item = ARGV[2]
if not is_open(ARGV[1]) or lease_of(item) ~= ARGV[3] then return {'gone'} end
local phase, step = describe(item)
add_to_fields({
  'ms:' .. step, ARGV[7], 'own_calls', ARGV[8], 'own_prompt', ARGV[9], 'own_completion', ARGV[10], 'tried', 1,
})
local tries = redis.call('HINCRBY', TRIES, item, 1)
if ARGV[5] == '1' or tries >= setting('max_attempts') then
  give_up(item, phase, step, ARGV[4])
  if redis.call('HGET', JOB, 'state') ~= 'running' then return {'dead', '', -1} end
  return {'dead', drain(ARGV[3]) or '', room()}
end
hold(item, math.max(tonumber(ARGV[6]), setting('backoff_ms') * 2 ^ (tries - 1)))
put_off(item, ARGV[4])
emit_item('item.failed', item, step, ',"attempt":' .. tries .. ',"error":' .. cjson.encode(ARGV[4]))
return {'again'}
