-- keys: session; arguments: version that it must have ('0': none), its next version, record, milliseconds to keep it
-- returns: 1; or 0, its version and record
local function put(keys, arguments)
  local found = redis.call('HMGET', keys[1], 'version', 'record')
  if (found[1] or '0') ~= arguments[1] then return {0, found[1] or '0', found[2] or ''} end
  redis.call('HSET', keys[1], 'version', arguments[2], 'record', arguments[3])
  redis.call('PEXPIRE', keys[1], arguments[4])
  return {1}
end

-- keys: session; arguments: the version whose outbox has been delivered
local function told(keys, arguments)
  if redis.call('HGET', keys[1], 'version') ~= arguments[1] then return 0 end
  redis.call('HSET', keys[1], 'told', arguments[1])
  return 1
end

-- Of two who call each other one direction alone may have unanswered calls. Those of the other stay named until they
-- have ended: the node that is to end them may die before.
-- keys: pair; arguments: direction, session, whether this direction goes before, milliseconds to remember
-- returns: 'glare', or 'ok' and the sessions of the other direction, which must end
local function pair(keys, arguments)
  local direction, rivals = redis.call('HGET', keys[1], 'direction'), {}
  if direction and direction ~= arguments[1] then
    if arguments[3] == '0' then return {'glare'} end
  end
  for _, field in ipairs(redis.call('HKEYS', keys[1])) do
    local own = redis.call('HGET', keys[1], field)
    if own == '1' then own = direction end
    if field ~= 'direction' and own ~= arguments[1] then
      table.insert(rivals, field)
      redis.call('HSET', keys[1], field, own)
    end
  end
  redis.call('HSET', keys[1], 'direction', arguments[1], arguments[2], arguments[1])
  redis.call('PEXPIRE', keys[1], arguments[4])
  return {'ok', rivals}
end

-- keys: pair; arguments: session
local function unpair(keys, arguments)
  if redis.call('HDEL', keys[1], arguments[1]) == 1 and redis.call('HLEN', keys[1]) == 1 then
    redis.call('DEL', keys[1])
  end
  return 1
end
