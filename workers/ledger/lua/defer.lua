-- Give a lease back without counting an attempt. ARGV: epoch, item, token, milliseconds to wait, why.
-- Returns gone | deferred.
local item = ARGV[2]
if not is_open(ARGV[1]) or lease_of(item) ~= ARGV[3] then return {'gone'} end
local _, step = describe(item)
hold(item, tonumber(ARGV[4]))
emit_item('item.deferred', item, step, ',"why":' .. cjson.encode(ARGV[5]))
return {'deferred'}
