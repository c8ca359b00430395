-- Adds an entry and forgets what is too old or too much.
-- keys: entries of its class, clock; arguments: entry, the oldest time to keep in milliseconds, how many to keep
-- returns: its id, of time and number, unique among all classes
local function append(keys, arguments)
  local entries, clock = unpack(keys)
  local time = redis.call('TIME')
  local now = math.max(time[1] * 1000 + math.floor(time[2] / 1000), tonumber(redis.call('HGET', clock, 'time') or '0'))
  redis.call('HSET', clock, 'time', string.format('%.0f', now))
  local number = redis.call('HINCRBY', clock, 'number', 1)
  local id = string.format('%.0f-%.0f', now, number)
  redis.call('XADD', entries, 'MINID', '=', arguments[2], id, 'entry', arguments[1])
  local surplus = redis.call('XLEN', entries) - tonumber(arguments[3])
  if surplus > 0 then
    for _, old in ipairs(redis.call('XRANGE', entries, '-', '+', 'COUNT', math.min(surplus, 256))) do
      redis.call('XDEL', entries, old[1])
    end
  end
  return id
end

redis.register_function('ls_audit_1_append', append)
