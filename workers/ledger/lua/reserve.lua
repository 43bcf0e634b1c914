-- Book a model call's upper bound on the job that pays. ARGV: call, tokens, cost in millionths ('' unknown), how many
-- calls it stands for, ms after which a call that was not settled is lost, epoch of the job whose booking outlives its
-- worker ('' for a call).
-- Returns gone | settled (a booking of this epoch has been) | refused, what is used up, its limit, why: full | busy
-- (calls in flight may leave room) | unknown (the cost, though it is limited) | reserved. What is booked is never above
-- a limit.
read_fields({
  'state', 'limit_calls', 'limit_tokens', 'limit_cost', 'booked_calls', 'booked_tokens', 'booked_cost', 'spent_calls',
  'spent_prompt', 'spent_completion', 'spent_cost', 'unawaited_calls', 'unawaited_tokens', 'unawaited_cost',
})
if FIELDS.state ~= 'running' then return {'gone'} end
local function is_booked() return redis.call('HEXISTS', CALLS, ARGV[1]) == 1 end
if ARGV[6] ~= '' and is_booked() then return {'reserved'} end
if ARGV[6] ~= '' and setting('settled:' .. ARGV[1]) >= tonumber(ARGV[6]) then return {'settled'} end
local LOOKED, LOOKED_IF_REFUSED = 2, 50 -- bookings; what is lost can only grow by one while two are looked at
local LASTING = 'lasting' -- in place of when it was booked
local bounds = {
  {'calls', tonumber(ARGV[4])}, {'tokens', tonumber(ARGV[2])}, {'cost', tonumber(ARGV[3] ~= '' and ARGV[3] or '0')},
}

local function add_all(sum, amounts)
  local added = {}
  for _, part in ipairs(amounts) do
    if part[2] > 0 then added[#added + 1], added[#added + 2] = sum .. part[1], part[2] end
  end
  add_to_fields(added)
end

-- What a dead worker booked counts as spent and gives no room again; nor does what takes a day. It is only set apart:
-- a worker that merely stood still settles its call after all.
local function set_apart_lost(count)
  local some = redis.call('HRANDFIELD', CALLS, count, 'WITHVALUES')
  local apart = {{'calls', 0}, {'tokens', 0}, {'cost', 0}}
  for i = 1, #some, 2 do
    local tokens, cost, calls, since = string.match(some[i + 1], '^(%d+) (%d*) ?(%d*) ?(%d*)$')
    if tokens then
      local amounts = {tonumber(calls) or 1, tonumber(tokens), tonumber(cost) or 0}
      local age = now() - (tonumber(since) or 0)
      -- A booking of many calls, or named by an intent, is one of a provider's batch that an older version made.
      local lasting = amounts[1] ~= 1 or string.find(some[i], '.', 1, true)
      local kept = string.format('%s %s %d ', tokens, cost, amounts[1])
      if lasting then
        redis.call('HSET', CALLS, some[i], kept .. LASTING)
      elseif age < 0 then -- the clock was set back
        redis.call('HSET', CALLS, some[i], kept .. string.format('%d', now()))
      elseif age >= tonumber(ARGV[5]) then
        redis.call('HDEL', CALLS, some[i])
        redis.call('HSET', JOB, 'written_off:' .. some[i], kept .. LASTING) -- it may be settled yet
      end
      if lasting or age >= tonumber(ARGV[5]) then
        for nth, amount in ipairs(amounts) do apart[nth][2] = apart[nth][2] + amount end
      end
    end
  end
  add_all('unawaited_', apart)
end

-- What the calls in flight have booked at most gives room again.
local function in_flight(name)
  local spent = name == 'tokens' and setting('spent_prompt') + setting('spent_completion') or setting('spent_' .. name)
  return setting('booked_' .. name) - spent - setting('unawaited_' .. name)
end

for _, bound in ipairs(bounds) do
  local name, amount = bound[1], bound[2]
  local limit = field('limit_' .. name)
  if limit then
    local unknown = name == 'cost' and ARGV[3] == ''
    local over = setting('booked_' .. name) + amount - tonumber(limit)
    if (unknown or over > 0) and is_booked() then return {'reserved'} end
    if unknown then return {'refused', name, limit, 'unknown'} end
    if over > 0 then
      set_apart_lost(LOOKED_IF_REFUSED)
      return {'refused', name, limit, over > in_flight(name) and 'full' or 'busy'}
    end
  end
end
set_apart_lost(LOOKED)
local since = ARGV[6] ~= '' and LASTING or string.format('%d', now())
local booking = ARGV[2] .. ' ' .. ARGV[3] .. ' ' .. ARGV[4] .. ' ' .. since
if redis.call('HSETNX', CALLS, ARGV[1], booking) == 0 then return {'reserved'} end
add_all('booked_', bounds)
if ARGV[6] ~= '' then add_all('unawaited_', bounds) end
return {'reserved'}
