-- The concurrency limit: which holder (a limiter of a node) holds how many permits, and until when they expire. A holder reports
-- how many it holds with every question, so that questions whose answers were lost do not matter; that also renews its permits.
-- State: for each holder its name, permits, expiry time, and lease, as nodes may differ in that. After a bar, the waiters, refused and
-- waiting: name, permits, since when, and when each last asked. Waiters are not notified when leases end and ask again every 100 ms,
-- while a holder that closes a lease asks at once and could take it again for ever. So freed permits are reserved for waiters that
-- have waited for a second, in order; a waiter that stops asking is forgotten.
local leases = {}
kinds.leases = leases

local PATIENCE = 1000000
local FORGOTTEN = 300000
local MOST_WAITING = 64

function leases.load(key, args)
  local m = { key = key, cap = args[1], lease = args[2], held = args[3], used = args[3], others = {},
    node = string.match(ARGV[4], '^%S+ (%S+)'), dirty = true } -- written by each question, which renews what is held
  local holders, waiters = string.match(call('GET', key) or '', '^([^|]*)|?(.*)$')
  for name, count, expires, lease in string.gmatch(holders, '([^:,]+):(%d+):(%d+):(%d+)') do
    local left = math.min(tonumber(lease), tonumber(expires) - now) -- the clock may have been set back
    if name ~= m.node and left > 0 then
      m.others[#m.others + 1] = { name = name, count = tonumber(count), left = left, lease = tonumber(lease) }
      m.used = m.used + tonumber(count)
    end
  end
  leases.recallWaiters(m, waiters)
  return m
end

-- Loads the waiters, and counts the permits reserved for those ahead of this holder.
function leases.recallWaiters(m, waiters)
  m.waiters, m.reserved = {}, 0
  for name, count, since, seen in string.gmatch(waiters, '([^:,]+):(%d+):(%d+):(%d+)') do
    local waiter = { name = name, count = tonumber(count), since = math.min(now, tonumber(since)), seen = math.min(now, tonumber(seen)) }
    if now - waiter.seen < FORGOTTEN then
      if name == m.node then m.waiter = waiter else m.waiters[#m.waiters + 1] = waiter end
    end
  end
  for _, other in ipairs(m.waiters) do
    if now - other.since >= PATIENCE and not (m.waiter and m.waiter.since <= other.since) then m.reserved = m.reserved + other.count end
  end
end

function leases.notBefore(m)
  return 0
end

function leases.wait(m, n, t)
  return m.used + m.reserved + n <= m.cap and 0 or -1
end

function leases.fit(m, n, t)
  return math.max(0, floor((m.cap - m.used - m.reserved) / n))
end

function leases.take(m, n, t)
  m.used, m.held = m.used + n, m.held + n
  m.taken = true
end

-- A refused holder is a waiter from its first refusal on; a question for no permits does not change its place.
function leases.rememberWaiter(m)
  if m.taken then
    m.waiter = nil
  elseif tonumber(ARGV[1]) > 0 then
    local isWaiting = permitsInAll() > 0 and leases.wait(m, m.one, now) < 0 and (m.waiter or #m.waiters < MOST_WAITING)
    m.waiter = isWaiting and { name = m.node, count = m.one, since = m.waiter and m.waiter.since or now, seen = now } or nil
  end
  if m.waiter then m.waiters[#m.waiters + 1] = m.waiter end
end

-- Nothing to do: the held count that the node reports no longer includes what was given back.
function leases.back(m, slots)
end

-- Nothing to do: no lease would ever return charged permits.
function leases.charge(m, n)
end

function leases.available(m, t)
  return m.cap - m.used
end

function leases.full(m, t)
  return m.used == 0 and 0 or -1
end

function leases.save(m)
  local s, longest = {}, m.held > 0 and m.lease or 0
  local function keep(name, count, left, lease)
    s[#s + 1] = table.concat({ name, digits(count), digits(now + left), digits(lease) }, ':')
  end
  if m.held > 0 then keep(m.node, m.held, m.lease, m.lease) end
  for _, other in ipairs(m.others) do
    keep(other.name, other.count, other.left, other.lease)
    longest = math.max(longest, other.left)
  end
  local value = table.concat(s, ',')
  leases.rememberWaiter(m)
  for i, waiter in ipairs(m.waiters) do
    local numbers = { waiter.name, digits(waiter.count), digits(waiter.since), digits(waiter.seen) }
    value = value .. (i == 1 and '|' or ',') .. table.concat(numbers, ':')
    longest = math.max(longest, waiter.seen + FORGOTTEN - now)
  end
  if value == '' then call('DEL', m.key) else write(m.key, value, longest) end
end
