-- Redis' cmsgpack for scripts in memory: nested tables of numbers, written as Lua reads them.
local function literal(value)
  if type(value) ~= 'table' then return string.format('%.17g', value) end
  local parts = {}
  for key, inner in pairs(value) do parts[#parts + 1] = '[' .. literal(key) .. ']=' .. literal(inner) end
  return '{' .. table.concat(parts, ',') .. '}'
end

cmsgpack = {pack = literal, unpack = function(packed) return loadstring('return ' .. packed)() end}
