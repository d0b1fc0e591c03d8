-- The token bucket and the leaky bucket, by the generic cell rate algorithm: one number says when the bucket is full again.
-- State: stamp, how far that time lies ahead of it, and the pace that this is counted by: the cost of a permit, and how many of the
-- units that it is counted in make a microsecond. While anything is booked, also how far ahead that time would be had the bucket been full
-- at the first booking, and how far ahead that was: what is given back meanwhile makes it no fuller, as whoever has booked takes
-- as much then as he was told.
local bucket = {}
kinds.bucket = bucket

local MOST = 4503599627370496
local DAY = 86400000000

function bucket.load(key, args, now)
  local m = { key = key, cap = args[1], upm = args[2], cost = args[3], room = args[4], spaced = args[5] == 1,
    grace = args[6], missing = args[7], now = now, ahead = args[7] * args[3], least = 0, since = 0 }
  local v = call('GET', key)
  m.new = not v and m.missing > 0
  if v then
    local stamp, ahead, cost, upm, least, since = string.match(v, '^(%d+):(%-?%d+):(%d+):(%d+):?(%d*):?(%-?%d*)$')
    cost, upm = tonumber(cost), tonumber(upm)
    m.new = tonumber(stamp) > now
    local units = (now - tonumber(stamp)) * upm
    m.ahead = bucket.later(tonumber(ahead), units, m.grace)
    if least ~= '' then
      m.least, m.since = bucket.later(tonumber(least), units, 0), tonumber(since) - math.max(0, units)
    end
    if cost ~= m.cost or upm ~= m.upm then
      m.ahead = math.min(MOST, math.ceil(math.max(0, m.ahead) * m.cost / cost))
      m.least, m.since = math.min(m.ahead, math.ceil(m.least * m.cost / cost)), math.floor(m.since * m.cost / cost)
    end
  end
  return m
end

function bucket.later(ahead, units, grace)
  local left = units > 0 and ahead - units or ahead
  return left < -grace and 0 or left
end

function bucket.at(m, t)
  return bucket.later(m.ahead, (t - m.now) * m.upm, m.grace)
end

-- What is taken later is further ahead already: no need for a floor.
function bucket.floor(m)
  return 0
end

function bucket.wait(m, n, t)
  if n > m.cap then return -1 end
  local over = bucket.at(m, t) - (m.room - (m.spaced and m.cost or n * m.cost))
  if over <= 0 then return 0 end
  local micros = over / m.upm
  return micros + -micros % 1
end

function bucket.fit(m, n, t)
  local left, all = m.room - bucket.at(m, t), n * m.cost
  if m.spaced then left = left < m.cost and 0 or left - m.cost + all end
  local fit = left / all
  return fit < 1 and 0 or fit - fit % 1
end

function bucket.take(m, n, t)
  local place = (t - m.now) * m.upm
  m.ahead = math.min(MOST, bucket.at(m, t) + place + n * m.cost)
  if place > 0 or m.least > 0 then bucket.note(m, n, place) end
end

function bucket.note(m, n, place)
  m.since = m.least > 0 and math.min(m.since, place) or place
  m.least = math.min(m.ahead, math.max(m.least, place) + n * m.cost)
end

-- All in one loop: a node books dozens of those at a time.
function bucket.series(m, n, most, first, others, booked)
  if n > m.cap then return -1 end
  local ahead, upm, grace, all = m.ahead, m.upm, m.grace, n * m.cost
  local room, count, longest = m.room - (m.spaced and m.cost or all), 0, first
  for i = 1, most do
    local over = (ahead < -grace and 0 or ahead) - room
    local wait = over > 0 and over / upm or 0
    wait = wait + -wait % 1
    if wait > longest then return wait end
    local left = ahead - wait * upm
    ahead = math.min(MOST, (left < -grace and 0 or left) + wait * upm + all)
    m.ahead = ahead
    bucket.note(m, n, wait * upm)
    if booked[count - 1] == wait then
      booked[count] = booked[count] + n
    else
      count = count + 2
      booked[count - 1], booked[count] = wait, n
    end
    longest = others
  end
  return 0
end

function bucket.back(m, n, at, now)
  local all, place = n * m.cost, (at - now) * m.upm
  if m.least > 0 and place + m.room + (m.spaced and all - m.cost or 0) >= m.ahead then -- which was the latest
    m.least = math.max(0, m.least - all)
    if m.least <= m.since then m.least = 0 end
  end
  local credit = all + math.min(0, place)
  if credit > 0 and m.ahead > -m.grace then
    m.ahead = math.max(m.least > 0 and m.least or -m.grace, m.ahead - credit)
  end
end

function bucket.charge(m, n, now)
  m.ahead = math.min(MOST, m.ahead + n * m.cost)
end

function bucket.available(m, t)
  return floor((m.room - bucket.at(m, t)) / m.cost)
end

function bucket.full(m, t)
  return math.max(0, math.ceil(bucket.at(m, t) / m.upm))
end

-- A bucket that did not begin full is remembered for longer than it takes to fill, or it would begin anew.
function bucket.save(m, now)
  local value = { digits(now), digits(m.ahead), digits(m.cost), digits(m.upm) }
  if m.least > 0 then value[5], value[6] = digits(m.least), digits(m.since) end
  value = table.concat(value, ':')
  write(m.key, value, bucket.full(m, now) + (m.missing > 0 and DAY or 0))
end
