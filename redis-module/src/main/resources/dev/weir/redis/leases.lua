-- Concurrency: which limiter of which node holds how many permits, and until when that is believed. It says how many it holds whenever it
-- asks, so that nothing has to be known of questions whose answers were lost, and renews what it holds by the same.
-- State: for each its name, its permits and the time when they expire.
local leases = {}
kinds.leases = leases

function leases.load(key, args, now)
  local m = { key = key, cap = args[1], lease = args[2], held = args[3], node = string.match(ARGV[4], '^%d+ (%S+)'), others = {}, used = args[3] }
  for name, count, expires in string.gmatch(call('GET', key) or '', '([^:,]+):(%d+):(%d+)') do
    local left = math.min(m.lease, tonumber(expires) - now)
    if name ~= m.node and left > 0 then
      m.others[#m.others + 1] = { name = name, count = tonumber(count), left = left }
      m.used = m.used + tonumber(count)
    end
  end
  return m
end

function leases.floor(m)
  return 0
end

function leases.wait(m, n, t)
  return m.used + n <= m.cap and 0 or -1
end

function leases.fit(m, n, t)
  return math.max(0, floor((m.cap - m.used) / n))
end

function leases.take(m, n, t)
  m.used, m.held = m.used + n, m.held + n
end

-- What was given back is not among what the node says that it holds.
function leases.back(m, n, at, now)
end

-- No lease would ever return what was charged.
function leases.charge(m, n, now)
end

function leases.available(m, t)
  return m.cap - m.used
end

function leases.full(m, t)
  return m.used == 0 and 0 or -1
end

function leases.save(m, now)
  local s, longest = {}, m.held > 0 and m.lease or 0
  if m.held > 0 then s[1] = m.node .. ':' .. digits(m.held) .. ':' .. digits(now + m.lease) end
  for _, other in ipairs(m.others) do
    s[#s + 1] = other.name .. ':' .. digits(other.count) .. ':' .. digits(now + other.left)
    longest = math.max(longest, other.left)
  end
  if #s == 0 then call('DEL', m.key) else write(m.key, table.concat(s, ','), longest) end
end
