-- keys: clients, user, events, sessions; arguments: stream, node, streams at most
-- returns: 'full', or 'open', floor, last event's id, presence before
local function open(keys, arguments)
  local clients, user, events = keys[1], keys[2], keys[3]
  if redis.call('HLEN', clients) >= tonumber(arguments[3]) then return {'full'} end
  local floor = log_floor(user)
  local last = redis.call('XREVRANGE', events, '+', '-', 'COUNT', 1)
  local presence = presence_of(user)
  redis.call('HSET', clients, arguments[1], cjson.encode({node = arguments[2]}))
  redis.call('HDEL', user, 'gone')
  if presence[1] ~= '' then redis.call('HSET', user, 'shown', 1) end
  for _, key in ipairs(keys) do redis.call('PERSIST', key) end
  return {'open', floor, last[1] and last[1][1] or floor, presence}
end

-- keys: clients, user, events, sessions; arguments: stream, milliseconds to keep what is known
-- returns: streams left (-1: there was no such stream), whether the status changed, presence
local function close(keys, arguments)
  local clients, user = keys[1], keys[2]
  if redis.call('HDEL', clients, arguments[1]) == 0 then return {-1, 0, presence_of(user)} end
  local left = redis.call('HLEN', clients)
  local changed = refresh_status(clients, user)
  if left == 0 then
    redis.call('HSET', user, 'gone', now())
    keep(arguments[2], keys)
  end
  return {left, changed, presence_of(user)}
end

-- keys: clients, user, events, mark; arguments: channel, event's name, data, events and bytes at most, milliseconds to
-- keep an event, milliseconds to keep what is known of somebody without stream, milliseconds to remember the mark or 0
-- returns: the event's id, or '' when the mark was there
local function deliver(keys, arguments)
  local clients, user, events = keys[1], keys[2], keys[3]
  local mark_time = tonumber(arguments[8])
  if mark_time > 0 and not redis.call('SET', keys[4], 1, 'NX', 'PX', mark_time) then return '' end
  local floor = log_floor(user)
  local id = redis.call('XADD', events, '*', 'name', arguments[2], 'data', arguments[3])
  local bytes = redis.call('HINCRBY', user, 'bytes', #arguments[3])
  local count = redis.call('XLEN', events)
  local oldest = now() - tonumber(arguments[6])
  while count > 0 do
    local first = redis.call('XRANGE', events, '-', '+', 'COUNT', 1)[1]
    local time = tonumber(string.match(first[1], '^%d+'))
    if count <= tonumber(arguments[4]) and bytes <= tonumber(arguments[5]) and time >= oldest then break end
    redis.call('XDEL', events, first[1])
    redis.call('HSET', user, 'floor', first[1])
    bytes = redis.call('HINCRBY', user, 'bytes', -#first[2][4])
    count = count - 1
  end
  if redis.call('HLEN', clients) == 0 then keep(arguments[7], {user, events}) end
  redis.call('SPUBLISH', arguments[1], id)
  return id
end

-- keys: news; arguments: channel, message, messages at most, milliseconds to keep them
local function announce(keys, arguments)
  redis.call('XADD', keys[1], 'MAXLEN', '~', arguments[3], '*', 'message', arguments[2])
  redis.call('PEXPIRE', keys[1], arguments[4])
  redis.call('SPUBLISH', arguments[1], arguments[2])
  return 1
end
