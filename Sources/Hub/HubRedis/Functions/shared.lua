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
