-- The generic cell rate algorithm. keys: counter; arguments: microseconds between two, microseconds of a whole burst
-- returns: whole seconds to wait, 0: admitted
local function take(keys, arguments)
  local time = redis.call('TIME')
  local at = time[1] * 1000000 + time[2]
  local whole = math.max(tonumber(redis.call('GET', keys[1]) or at), at) + tonumber(arguments[1])
  local excess = whole - at - tonumber(arguments[2])
  if excess > 0 then return math.ceil(excess / 1000000) end
  redis.call('SET', keys[1], string.format('%.0f', whole), 'PX', math.ceil((whole - at) / 1000) + 1)
  return 0
end
