-- Of each function the first keys are: calls, order, missed, times.
local function forget(keys, owner, time, session)
  local place = owner .. '\0' .. time .. '\0' .. session
  redis.call('HDEL', keys[1], owner .. '\0' .. session)
  redis.call('ZREM', keys[2], place)
  redis.call('ZREM', keys[3], place)
  redis.call('ZREM', keys[4], time .. '\0' .. session .. '\0' .. owner)
end

-- Forgets up to a number of a user's calls but the newest that are to stay; returns how many.
local function forget_oldest(keys, owner, stay, count)
  local places = redis.call(
    'ZRANGE', keys[2], '(' .. owner .. '\1', '[' .. owner .. '\0', 'BYLEX', 'REV', 'LIMIT', stay, count)
  for _, place in ipairs(places) do
    local time, session = string.match(place, '%z([^%z]*)%z([^%z]*)$')
    forget(keys, owner, time, session)
  end
  return #places
end

-- Keeps the records of a call where they are not there yet.
-- arguments: how many a user may have; for each record: owner, time, session, '1' if it was missed, record
-- returns: the owners of those that are new
local function insert(keys, arguments)
  local owners = {}
  for index = 2, #arguments, 5 do
    local owner, time, session, missed, record = unpack(arguments, index, index + 4)
    if redis.call('HEXISTS', keys[1], owner .. '\0' .. session) == 0 then
      redis.call('HSET', keys[1], owner .. '\0' .. session, record)
      local place = owner .. '\0' .. time .. '\0' .. session
      redis.call('ZADD', keys[2], 0, place)
      if missed == '1' then redis.call('ZADD', keys[3], 0, place) end
      redis.call('ZADD', keys[4], 0, time .. '\0' .. session .. '\0' .. owner)
      forget_oldest(keys, owner, arguments[1], 100)
      owners[#owners + 1] = owner
    end
  end
  return owners
end

-- keys: also what users have seen; arguments: user, how many at once
-- returns: how many were forgotten
local function remove(keys, arguments)
  redis.call('HDEL', keys[5], arguments[1])
  return forget_oldest(keys, arguments[1], 0, arguments[2])
end

-- Forgets what ended before a time, and the oldest beyond a number.
-- arguments: time, number, how many at once
-- returns: how many were forgotten
local function trim(keys, arguments)
  local excess = redis.call('ZCOUNT', keys[4], '-inf', '+inf') - tonumber(arguments[2])
  local count = 0
  for index, place in ipairs(redis.call('ZRANGE', keys[4], 0, tonumber(arguments[3]) - 1)) do
    local time, session, owner = string.match(place, '^([^%z]*)%z([^%z]*)%z([^%z]*)$')
    if time >= arguments[1] and index > excess then break end
    forget(keys, owner, time, session)
    count = count + 1
  end
  return count
end

-- keys: what users have seen; arguments: user, time
local function see(keys, arguments)
  if (redis.call('HGET', keys[1], arguments[1]) or '') < arguments[2] then
    redis.call('HSET', keys[1], arguments[1], arguments[2])
  end
  return 1
end

redis.register_function('ls_calls_1_insert', insert)
redis.register_function('ls_calls_1_remove', remove)
redis.register_function('ls_calls_1_trim', trim)
redis.register_function('ls_calls_1_see', see)
