-- Give a lease back without counting an attempt. ARGV: epoch, item, token, milliseconds to wait, why.
-- Returns gone | deferred.
local item = ARGV[2]
if not is_open(ARGV[1]) or lease_of(item) ~= ARGV[3] then return {'gone'} end
local _, step = describe(item)
hold(item, tonumber(ARGV[4]))
put_off(item, ARGV[5])
local deadline = field('deadline')
local till = deadline and ',"until":' .. string.format('%.3f', deadline / 1000) or ''
emit_item('item.deferred', item, step, ',"why":' .. cjson.encode(ARGV[5]) .. till)
return {'deferred'}
