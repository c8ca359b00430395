-- Keeps a new invitation in place of the one that ended first, where there are too many.
-- keys: invitations, codes, ends; arguments: id, hashed code, record, when it ends, now, how many are kept
-- returns: 1; 0 when as many have not ended
local function insert(keys, arguments)
  local invitations, codes, ends = unpack(keys)
  local id, code, record, last, now, most = unpack(arguments)
  local surplus = redis.call('HLEN', invitations) - tonumber(most) + 1
  if surplus > 0 then
    local ended = redis.call('ZRANGEBYSCORE', ends, '-inf', now, 'LIMIT', 0, surplus)
    if #ended < surplus then return 0 end
    for _, old in ipairs(ended) do
      redis.call('HDEL', codes, cjson.decode(redis.call('HGET', invitations, old)).code)
      redis.call('HDEL', invitations, old)
      redis.call('ZREM', ends, old)
    end
  end
  redis.call('HSET', invitations, id, record)
  redis.call('HSET', codes, code, id)
  redis.call('ZADD', ends, last, id)
  return 1
end

-- Replaces an invitation, if no other was quicker.
-- keys: invitations, ends; arguments: id, the record as it was, as it is to be, when it ends
-- returns: whether it was so
local function update(keys, arguments)
  local id, before, after, last = unpack(arguments)
  if redis.call('HGET', keys[1], id) ~= before then return 0 end
  redis.call('HSET', keys[1], id, after)
  redis.call('ZADD', keys[2], last, id)
  return 1
end

redis.register_function('ls_invitations_1_insert', insert)
redis.register_function('ls_invitations_1_update', update)
