-- keys: clients, user, sessions; arguments: stream or '', location ('=': as before, '': none), located at ('=': as
-- before, '': unknown), principal, status, audio, video, held sessions ('-': not told), milliseconds of grace,
-- milliseconds to keep the presence of somebody without stream, channel, what a device permits ('': unknown)
-- returns: 'gone' when the stream is not open (its node is woken, and closes it), or 'ok', presence before, presence, held sessions ('-': not all told),
-- live sessions
local function update(keys, arguments)
  local clients, user = keys[1], keys[2]
  local stream, status, held = arguments[1], arguments[5], arguments[8]
  if stream ~= '' and redis.call('HEXISTS', clients, stream) == 0 then
    redis.call('SPUBLISH', arguments[11], 'gone')
    return {'gone'}
  end
  local before = presence_of(user)
  if stream ~= '' then
    local client = cjson.decode(redis.call('HGET', clients, stream))
    note(clients, stream, status, held ~= '-' and held or client.held)
    status = status_of(clients) or status
    if held ~= '-' then held = held_by_all(clients) or '-' end
  end
  local fields = {
    'principal', arguments[4], 'status', status, 'audio', arguments[6], 'video', arguments[7], 'permits', arguments[12] or '',
    'shown', is_reachable(clients, user, arguments[9])}
  if arguments[2] ~= '=' then
    table.insert(fields, 'location')
    table.insert(fields, arguments[2])
  end
  if arguments[3] ~= '=' then
    table.insert(fields, 'located')
    table.insert(fields, arguments[3])
  end
  redis.call('HSET', user, unpack(fields))
  if redis.call('HLEN', clients) == 0 then keep(arguments[10], {user}) end
  local live = held ~= '-' and redis.call('ZRANGE', keys[3], 0, -1) or {}
  return {'ok', before, presence_of(user), held, live}
end

-- keys: clients, user, sessions; arguments: the leaving client's stream or ''
-- returns: 'stays', whether the status changed, presence, held sessions ('-': not all told), live sessions; or 'left',
-- whether it was shown, presence before, live sessions
local function withdraw(keys, arguments)
  local clients, user, stream = keys[1], keys[2], arguments[1]
  local before, live = presence_of(user), redis.call('ZRANGE', keys[3], 0, -1)
  if stream ~= '' and redis.call('HLEN', clients) > redis.call('HEXISTS', clients, stream) then
    note(clients, stream, nil, '')
    return {'stays', refresh_status(clients, user), presence_of(user), held_by_all(clients) or '-', live}
  end
  redis.call('HDEL', user, 'principal', 'status', 'location', 'located', 'audio', 'video', 'permits', 'shown')
  return {'left', tonumber(before[4]), before, live}
end

-- keys: clients, user; arguments: streams of one node
-- returns: those of them that are not open, presence
local function renew(keys, arguments)
  local lost = {}
  for _, stream in ipairs(arguments) do
    if redis.call('HEXISTS', keys[1], stream) == 0 then table.insert(lost, stream) end
  end
  return {lost, presence_of(keys[2])}
end

-- keys: clients, user; arguments: milliseconds without stream
-- returns: whether a call can reach the user, presence
local function peek(keys, arguments)
  return {is_reachable(keys[1], keys[2], arguments[1]), presence_of(keys[2])}
end

-- keys: clients, user, sessions; arguments: milliseconds of grace, milliseconds after which the user is gone for good
-- returns: milliseconds without stream (-1: has one), whether it was shown until now, presence before, live sessions
local function check_gone(keys, arguments)
  local clients, user = keys[1], keys[2]
  local presence = presence_of(user)
  local gone = redis.call('HGET', user, 'gone')
  if redis.call('HLEN', clients) > 0 then return {-1, 0, presence, {}} end
  if not gone then
    gone = now()
    redis.call('HSET', user, 'gone', gone)
    redis.call('PEXPIRE', user, arguments[2] * 2)
  end
  local age = now() - tonumber(gone)
  local hidden = 0
  if age >= tonumber(arguments[1]) and presence[4] == '1' then
    redis.call('HSET', user, 'shown', 0)
    hidden = 1
  end
  local live = {}
  if age >= tonumber(arguments[2]) then live = redis.call('ZRANGE', keys[3], 0, -1) end
  return {age, hidden, presence, live}
end
