-- A record is JSON with the members id, place (its member of the order) and mark (its endpoint's field).
local function forget(subscriptions, endpoints, order, id)
  local text = redis.call('HGET', subscriptions, id)
  if not text then return 0 end
  local record = cjson.decode(text)
  redis.call('ZREM', order, record.place)
  if redis.call('HGET', endpoints, record.mark) == id then redis.call('HDEL', endpoints, record.mark) end
  return redis.call('HDEL', subscriptions, id)
end

-- Inserts a subscription in place of the one of the same endpoint, and of the user's oldest beyond a number.
-- keys: subscriptions, endpoints, order, login; arguments: id, record, what the user's places begin with, number
-- returns: 1; 0 when there is no such login
local function put(keys, arguments)
  local subscriptions, endpoints, order, login = unpack(keys)
  local id, text, user, most = unpack(arguments)
  if not redis.call('GET', login) then return 0 end
  local record = cjson.decode(text)
  local former = redis.call('HGET', endpoints, record.mark)
  if former then forget(subscriptions, endpoints, order, former) end
  local places = redis.call('ZRANGE', order, '[' .. user .. '\0', '(' .. user .. '\1', 'BYLEX')
  for index = 1, #places - tonumber(most) + 1 do
    forget(subscriptions, endpoints, order, string.match(places[index], '%z[^%z]*%z([^%z]*)$'))
  end
  redis.call('HSET', subscriptions, id, text)
  redis.call('HSET', endpoints, record.mark, id)
  redis.call('ZADD', order, 0, record.place)
  return 1
end

-- keys: subscriptions, endpoints, order; arguments: id, what the user's places begin with
-- returns: whether it was there, and this user's
local function remove(keys, arguments)
  local text = redis.call('HGET', keys[1], arguments[1])
  if not text or string.sub(cjson.decode(text).place, 1, #arguments[2] + 1) ~= arguments[2] .. '\0' then return 0 end
  return forget(keys[1], keys[2], keys[3], arguments[1])
end

-- keys: key; arguments: value
-- returns: the value that is there
local function insert_first_key(keys, arguments)
  redis.call('SET', keys[1], arguments[1], 'NX')
  return redis.call('GET', keys[1])
end

redis.register_function('ls_push_1_put', put)
redis.register_function('ls_push_1_remove', remove)
redis.register_function('ls_push_1_insert_first_key', insert_first_key)
