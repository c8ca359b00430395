-- Inserts, replaces or removes an account, if nobody was quicker.
-- keys: accounts, titles, enrolment keys, order, revision; arguments: id; the record as it was ('': none), its title's
-- key, its enrolment key ('': none); the record as it is to be ('': none), its title's key, its enrolment key
-- returns: 'ok', 'changed' when the record was another, 'taken' when the title is another's
local function change(keys, arguments)
  local accounts, titles, enrolments, order, revision = unpack(keys)
  local id, before, old_title, old_key, after, title, key = unpack(arguments)
  if (redis.call('HGET', accounts, id) or '') ~= before then return 'changed' end
  if after ~= '' and (redis.call('HGET', titles, title) or id) ~= id then return 'taken' end
  if before ~= '' then
    redis.call('HDEL', titles, old_title)
    redis.call('ZREM', order, old_title .. '\0' .. id)
    if old_key ~= '' then redis.call('HDEL', enrolments, old_key) end
    redis.call('HDEL', accounts, id)
  end
  if after ~= '' then
    redis.call('HSET', titles, title, id)
    redis.call('ZADD', order, 0, title .. '\0' .. id)
    if key ~= '' then redis.call('HSET', enrolments, key, id) end
    redis.call('HSET', accounts, id, after)
  end
  -- Never a number that was there before, also where Redis has lost its last second.
  local time = redis.call('TIME')
  local least = tonumber(redis.call('GET', revision) or '0') + 1
  redis.call('SET', revision, string.format('%.0f', math.max(least, time[1] * 1000000 + time[2])))
  return 'ok'
end

-- keys: signing keys; arguments: key's id, record
-- returns: all records
local function insert_first_key(keys, arguments)
  if redis.call('HLEN', keys[1]) == 0 then redis.call('HSET', keys[1], arguments[1], arguments[2]) end
  return redis.call('HVALS', keys[1])
end

redis.register_function('ls_accounts_1_change', change)
redis.register_function('ls_accounts_1_insert_first_key', insert_first_key)
