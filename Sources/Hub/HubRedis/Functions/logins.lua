local function milliseconds()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Inserts or replaces a login, if no other was quicker.
-- keys: login, the user's logins, ended logins
-- arguments: id; the record as it was ('': none), as it is to be; when it expires, in milliseconds since 1970
-- returns: 'done', 'changed', 'ended'
local function put(keys, arguments)
  local login, logins, ended = unpack(keys)
  local id, before, after, expiry = unpack(arguments)
  if redis.call('ZSCORE', ended, id) then return 'ended' end
  if (redis.call('GET', login) or '') ~= before then return 'changed' end
  local now = milliseconds()
  local left = math.max(1, tonumber(expiry) - now)
  redis.call('SET', login, after, 'PX', string.format('%.0f', left))
  for _, old in ipairs(redis.call('ZRANGEBYSCORE', logins, '-inf', string.format('%.0f', now))) do
    redis.call('ZREM', logins, old)
  end
  redis.call('ZADD', logins, expiry, id)
  -- It lasts as long as the login that lasts longest.
  local last = redis.call('ZRANGE', logins, -1, -1, 'WITHSCORES')
  redis.call('PEXPIRE', logins, string.format('%.0f', math.max(left, tonumber(last[2]) - now)))
  return 'done'
end

-- Ends a login, known or not.
-- keys: login, the user's logins, ended logins; arguments: id; for how long that is remembered, in milliseconds
-- returns: whether it was there
local function finish(keys, arguments)
  local login, logins, ended = unpack(keys)
  local now = milliseconds()
  local oldest = string.format('%.0f', now - tonumber(arguments[2]))
  for _, old in ipairs(redis.call('ZRANGEBYSCORE', ended, '-inf', oldest)) do redis.call('ZREM', ended, old) end
  if not redis.call('ZSCORE', ended, arguments[1]) then
    redis.call('ZADD', ended, string.format('%.0f', now), arguments[1])
  end
  redis.call('ZREM', logins, arguments[1])
  return redis.call('DEL', login)
end

redis.register_function('ls_logins_2_put', put)
redis.register_function('ls_logins_2_end', finish)
