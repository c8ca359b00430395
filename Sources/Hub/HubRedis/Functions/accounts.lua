-- Inserts, replaces or removes an account, if no other change was quicker.
-- keys: accounts, titles, enrolment keys, order, revision; arguments: id; the record as it was ('': none), its title's
-- key, its enrolment key ('': none); the record as it is to be ('': none), its title's key, its enrolment key; the
-- revision at which all accounts must be ('': any)
-- returns: 'ok', 'changed' when the record or the revision was another, 'taken' when the title is another's
local function change(keys, arguments)
  local accounts, titles, enrolments, order, revision = unpack(keys)
  local id, before, old_title, old_key, after, title, key, needed = unpack(arguments)
  if needed ~= '' and (redis.call('GET', revision) or '0') ~= needed then return 'changed' end
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

-- Notes when users were online, but for accounts that were removed meanwhile.
-- keys: accounts, seen; arguments: an id and a record for each
local function note_seen(keys, arguments)
  for index = 1, #arguments, 2 do
    if redis.call('HEXISTS', keys[1], arguments[index]) == 1 then
      redis.call('HSET', keys[2], arguments[index], arguments[index + 1])
    end
  end
  return 'ok'
end

redis.register_function('ls_accounts_2_change', change)
redis.register_function('ls_accounts_2_insert_first_key', insert_first_key)
redis.register_function('ls_accounts_2_note_seen', note_seen)
