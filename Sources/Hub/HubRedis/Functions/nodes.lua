-- keys: nodes; arguments: node, whether it is there for the first time
-- returns: 1; 0 when others have taken it for dead
local function beat(keys, arguments)
  if arguments[2] == '0' and not redis.call('ZSCORE', keys[1], arguments[1]) then return 0 end
  redis.call('ZADD', keys[1], now(), arguments[1])
  return 1
end

-- keys: nodes; arguments: milliseconds of silence
-- returns: who has been silent for so long
local function silent(keys, arguments)
  return redis.call('ZRANGEBYSCORE', keys[1], '-inf', now() - tonumber(arguments[1]), 'LIMIT', 0, 16)
end

-- keys: due; arguments: most of them
-- returns: members and times of what is due
local function due(keys, arguments)
  return redis.call('ZRANGEBYSCORE', keys[1], '-inf', now(), 'WITHSCORES', 'LIMIT', 0, arguments[1])
end

-- keys: due; arguments: member, milliseconds from now
local function postpone(keys, arguments)
  return redis.call('ZADD', keys[1], now() + tonumber(arguments[2]), arguments[1])
end

-- keys: due; arguments: member, the time for which it was due: a later one stays
local function settle(keys, arguments)
  local time = redis.call('ZSCORE', keys[1], arguments[1])
  if time and tonumber(time) <= tonumber(arguments[2]) then return redis.call('ZREM', keys[1], arguments[1]) end
  return 0
end

redis.register_function('open', open)
redis.register_function('close', close)
redis.register_function('deliver', deliver)
redis.register_function('announce', announce)
redis.register_function('update', update)
redis.register_function('withdraw', withdraw)
redis.register_function('renew', renew)
redis.register_function('peek', peek)
redis.register_function('check_gone', check_gone)
redis.register_function('put', put)
redis.register_function('told', told)
redis.register_function('pair', pair)
redis.register_function('unpair', unpair)
redis.register_function('take', take)
redis.register_function('beat', beat)
redis.register_function('silent', silent)
redis.register_function('due', due)
redis.register_function('postpone', postpone)
redis.register_function('settle', settle)
