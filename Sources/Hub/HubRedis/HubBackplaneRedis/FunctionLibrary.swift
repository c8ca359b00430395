internal import RedisClient

/// What Redis itself decides, as a library of Redis Functions: every function touches keys of one hash tag alone, so that it
/// works in a cluster, and takes its time from Redis, so that no node's clock matters.
///
/// Functions are named by their text, so that nodes of two versions have each their own while they are exchanged one by
/// one. The records of both are the same, or carry the number of their form.
enum FunctionLibrary {
  /// What the functions' names begin with.
  static let prefix = "ls_\(digest)_"

  static let library = RedisFunctionLibrary(
    name: "livesessions_\(digest)",
    code: "#!lua name=livesessions_\(digest)\n"
      + body.replacing("register_function('", with: "register_function('\(prefix)"))

  private static let body = shared + streams + presence + sessions + limits + nodes

  private static let digest = String(RedisKeys.hash(body) >> 32, radix: 36)

  private static let shared = #"""
    local function now()
      local time = redis.call('TIME')
      return time[1] * 1000 + math.floor(time[2] / 1000)
    end

    -- The event before a log's first one; a log begins with the first that asks.
    local function log_floor(user)
      local floor = redis.call('HGET', user, 'floor')
      if not floor then
        floor = string.format('%d-1048575', now() - 1)
        redis.call('HSET', user, 'floor', floor, 'bytes', 0)
      end
      return floor
    end

    -- Whether the user has an event stream, or had one until less than `grace` milliseconds ago.
    local function is_reachable(clients, user, grace)
      if redis.call('HLEN', clients) > 0 then return 1 end
      local gone = redis.call('HGET', user, 'gone')
      if gone and now() - tonumber(gone) < tonumber(grace) then return 1 end
      return 0
    end

    -- Not to be disturbed is a wish of the person; busy is a client, and the person is available while another is.
    local function status_of(clients)
      local found = {}
      for _, text in ipairs(redis.call('HVALS', clients)) do
        local client = cjson.decode(text)
        if client.status then found[client.status] = true end
      end
      for _, status in ipairs({'do-not-disturb', 'available', 'busy'}) do
        if found[status] then return status end
      end
      return nil
    end

    -- What all clients of the user hold, once each has said it.
    local function held_by_all(clients)
      local all = {}
      for _, text in ipairs(redis.call('HVALS', clients)) do
        local client = cjson.decode(text)
        if not client.held then return nil end
        if client.held ~= '' then table.insert(all, client.held) end
      end
      return table.concat(all, ',')
    end

    local function note(clients, stream, status, held)
      local text = redis.call('HGET', clients, stream)
      if not text then return end
      local client = cjson.decode(text)
      client.status, client.held = status, held
      redis.call('HSET', clients, stream, cjson.encode(client))
    end

    local function presence_of(user)
      local fields = redis.call('HMGET', user, 'principal', 'status', 'location', 'shown')
      return {fields[1] or '', fields[2] or '', fields[3] or '', fields[4] or '0'}
    end

    -- The status of all clients together; whether it is another than before.
    local function refresh_status(clients, user)
      local status = status_of(clients)
      local before = redis.call('HGET', user, 'status')
      if not status or not before or status == before then return 0 end
      redis.call('HSET', user, 'status', status)
      return 1
    end

    local function keep(milliseconds, keys)
      for _, key in ipairs(keys) do redis.call('PEXPIRE', key, milliseconds) end
    end

    """#

  private static let streams = #"""
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

    """#

  private static let presence = #"""
    -- keys: clients, user, sessions; arguments: stream or '', location ('=': as before, '': none), located at ('=': as
    -- before, '': unknown), principal, status, audio, video, held sessions ('-': not told), milliseconds of grace,
    -- milliseconds to keep the presence of somebody without stream, channel
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
        'principal', arguments[4], 'status', status, 'audio', arguments[6], 'video', arguments[7],
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
      redis.call('HDEL', user, 'principal', 'status', 'location', 'located', 'audio', 'video', 'shown')
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

    """#

  private static let sessions = #"""
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

    """#

  private static let limits = #"""
    -- The generic cell rate algorithm. keys: counter; arguments: microseconds between two, microseconds of a whole burst
    -- returns: whole seconds to wait, 0: admitted
    local function take(keys, arguments)
      local time = redis.call('TIME')
      local at = time[1] * 1000000 + time[2]
      local whole = math.max(tonumber(redis.call('GET', keys[1]) or at), at) + tonumber(arguments[1])
      local excess = whole - at - tonumber(arguments[2])
      if excess > 0 then return math.ceil(excess / 1000000) end
      redis.call('SET', keys[1], string.format('%.0f', whole), 'PX', math.ceil((whole - at) / 1000) + 1)
      return 0
    end

    """#

  private static let nodes = #"""
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
    """#
}
