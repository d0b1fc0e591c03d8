-- The token bucket and the leaky bucket, by the generic cell rate algorithm: one number says when the bucket is full again.
-- State: stamp, how far that time lies ahead of it, and the pace it is counted by: the cost of a permit, and how many units make a
-- microsecond. While there are bookings, or a past to remember, also what bucket-undo.lua keeps. All in units from the stamp on.
local bucket = {}
kinds.bucket = bucket

function bucket.load(key, args)
  local m = { key = key, cap = args[1], upm = args[2], cost = args[3], room = args[4], spaced = args[5] == 1,
    grace = args[6], missing = args[7], ahead = args[7] * args[3],
    reach = floor((MOST - args[4]) / args[2]), eras = {}, gaps = {}, holes = {}, last = 0, torn = 0, remembered = 0 }
  local v = call('GET', key)
  m.dirty = not v and m.missing > 0
  m.paid, m.by = m.cost, m.upm
  if v then
    local stamp, ahead, cost, upm, booked = string.match(v, '^(%d+):(%-?%d+):(%d+):(%d+)(.*)$')
    m.dirty = tonumber(stamp) > now
    m.paid, m.by = tonumber(cost), tonumber(upm)
    local units = (now - tonumber(stamp)) * m.by
    m.ahead = bucket.later(tonumber(ahead), units, m.grace)
    if booked ~= '' then
      local eras, gaps, holes = string.match(booked, '^([^/|]*)/?([^|]*)|?(.*)$')
      bucket.recall(m, eras, math.max(0, units))
      bucket.recallGaps(m, units >= 0 and gaps or '', units)
      bucket.recallHoles(m, units >= 0 and holes or '', units)
      bucket.forget(m)
    end
  end
  return m
end

-- Converts the state to the pace of the question.
function bucket.adopt(m)
  local cost, upm = m.paid, m.by
  if cost == m.cost and upm == m.upm then return end
  m.paid, m.by = m.cost, m.upm
  m.ahead = math.min(MOST, math.ceil(math.max(0, m.ahead) * m.cost / cost))
  m.last = math.ceil(m.last * m.upm / upm)
  m.torn, m.holes = m.last, {}
  m.remembered = math.ceil(m.remembered * m.upm / upm)
  for _, era in ipairs(m.eras) do
    era.since = floor(era.since * m.upm / upm)
    era.least = math.min(m.ahead, math.ceil(era.least * math.max(m.cost / cost, m.upm / upm)))
  end
  for _, gap in ipairs(m.gaps) do
    gap.since = floor(gap.since * m.upm / upm)
    gap.ahead = math.min(m.ahead, math.ceil(math.max(0, gap.ahead) * m.cost / cost))
    gap.last = math.ceil(gap.last * m.upm / upm)
  end
end

function bucket.later(ahead, units, grace)
  local left = units > 0 and ahead - units or ahead
  return left < -grace and 0 or left
end

function bucket.at(m, t)
  return bucket.later(m.ahead, (t - now) * m.upm, m.grace)
end

-- No such time is needed: a later take is further ahead already.
function bucket.notBefore(m)
  return 0
end

-- In a spaced bucket, a request for several permits delays the next for longer than one for one permit does, and would delay
-- bookings: so it goes after them. Bookings are rounded up, to less than a microsecond later.
function bucket.earliest(m, n)
  return m.spaced and n > 1 and m.last - m.upm or 0
end

function bucket.wait(m, n, t)
  if n > m.cap then return -1 end
  local over = bucket.at(m, t) - (m.room - (m.spaced and m.cost or n * m.cost))
  over = math.max(over, bucket.earliest(m, n) - (t - now) * m.upm)
  if over <= 0 then return 0 end
  local micros = over / m.upm
  return micros + -micros % 1
end

function bucket.fit(m, n, t)
  local left, all = m.room - bucket.at(m, t), n * m.cost
  if bucket.earliest(m, n) > (t - now) * m.upm then return 0 end
  if m.spaced then left = left < m.cost and 0 or left - m.cost + all end
  local fit = left / all
  return fit < 1 and 0 or fit - fit % 1
end

function bucket.take(m, n, t)
  local place = (t - now) * m.upm
  if place > 0 then bucket.beginGap(m, place) end
  m.ahead = math.min(MOST, bucket.at(m, t) + place + n * m.cost)
  if place > 0 or #m.eras > 0 or m.remembered > 0 then bucket.note(m, n, place) end
end

-- Books in one loop, as a node books dozens of requests at a time; none before those that are booked already.
function bucket.series(m, n, most, first, others, booked)
  if n > m.cap then return -1 end
  local ahead, upm, grace, all = m.ahead, m.upm, m.grace, n * m.cost
  local room, longest, earliest = m.room - (m.spaced and m.cost or all), first, bucket.earliest(m, n)
  local before, count, from = #booked, #booked, (booked[#booked - 1] or 0) * upm
  for i = 1, most do
    local hole = bucket.hole(m, all, from)
    local over = math.max(earliest, from, (ahead < -grace and 0 or ahead) - room)
    if hole and hole.since <= math.max(0, over) then over = hole.since else hole = nil end
    local wait = over > 0 and over / upm or 0
    wait = wait + -wait % 1
    if wait > math.min(longest, m.reach) then return wait end
    if hole then
      bucket.fill(m, hole, wait * upm, all)
    else
      if wait > 0 then bucket.beginGap(m, wait * upm) end
      ahead = math.min(MOST, bucket.later(ahead, wait * upm, grace) + wait * upm + all)
      m.ahead = ahead
    end
    bucket.note(m, n, wait * upm)
    if count > before and booked[count - 1] == wait then
      booked[count] = booked[count] + n
    else
      booked[count + 1], booked[count + 2], count = wait, n, count + 2
    end
    longest = others
  end
  return 0
end

function bucket.charge(m, n)
  m.ahead = math.min(MOST, m.ahead + n * m.cost)
  bucket.note(m, n, 0)
end

function bucket.available(m, t)
  return floor((m.room - bucket.at(m, t)) / m.cost)
end

function bucket.full(m, t)
  return math.max(0, math.ceil(bucket.at(m, t) / m.upm))
end

-- A bucket that did not start full is kept for longer than it takes to fill, or it would start anew.
function bucket.save(m)
  local value = { digits(now), digits(m.ahead), digits(m.cost), digits(m.upm) }
  if #m.eras > 0 or m.remembered > 0 then
    value[5], value[6], value[7] = digits(m.last), digits(m.torn), digits(m.remembered)
    for _, era in ipairs(m.eras) do
      value[#value + 1], value[#value + 2] = digits(era.since), digits(era.least)
    end
  end
  value = table.concat(value, ':')
  for i, gap in ipairs(m.gaps) do
    local numbers = { digits(gap.since), digits(gap.ahead), digits(gap.last), digits(gap.count) }
    value = value .. (i == 1 and '/' or ':') .. table.concat(numbers, ':')
  end
  for i, hole in ipairs(m.holes) do
    value = value .. (i == 1 and '|' or ':') .. digits(hole.since) .. ':' .. digits(hole.ends)
  end
  write(m.key, value, bucket.full(m, now) + (m.missing > 0 and DAY or 0))
end
