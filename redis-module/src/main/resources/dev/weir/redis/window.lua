-- The fixed window, the sliding window counter, and the token bucket refilled in steps: windows that forget.
-- State: stamp, begin of the window, its length, permits that count in it, permits of the window before (if they are weighed), and
-- the time up to which it is booked; then the bookings: for each future time, how many permits. As bookings are kept apart, undoing
-- one leaves no trace: the others are taken again, in order, from the state without any. If there are too many, the first is merged
-- into that state.
local window = {}
kinds.window = window

local FIRST_USE, CREATION, MULTIPLES = 0, 1, 2
local MINUTE = 60 * 1000 * 1000

function window.load(key, args)
  local m = { key = key, cap = args[1], per = args[2], length = args[3], begins = args[4], weighed = args[5] == 1,
    initial = args[6], used = args[6], before = 0, last = 0, booked = {} }
  m.begin = window.beginning(m, now)
  m.dirty = m.initial > 0
  local v = call('GET', key)
  if v then
    local stamp, begin, length, used, before, last, booked =
      string.match(v, '^(%d+):(%d+):(%d+):(%d+):(%d+):(%d+)(.*)$')
    begin, length = tonumber(begin), tonumber(length)
    local back = math.max(0, tonumber(stamp) - now)
    m.dirty = back > 0
    m.begin = math.max(0, begin - back)
    m.used, m.before = math.min(window.most(m), tonumber(used)), tonumber(before)
    m.last = math.max(0, tonumber(last) - back)
    -- Aligned windows that were set back are those of the next multiple: they end no sooner than they would have.
    if m.begins == MULTIPLES and begin % length == 0 then m.begin = m.begin + -m.begin % length end
    window.recall(m, booked, length, back)
    m.begin = math.min(m.begin, window.latest(m))
  end
  m.present = window.state(m)
  window.ahead(m)
  return m
end

-- Loads the bookings; those that are due are taken.
function window.recall(m, booked, length, back)
  local changed = m.length
  m.length = length
  for t, n in string.gmatch(booked, ':(%d+):(%d+)') do
    local each = { t = tonumber(t) - back, n = tonumber(n) }
    if each.t <= now then window.put(m, each) else m.booked[#m.booked + 1] = each end
  end
  m.length = changed
  window.under(m, length)
end

function window.state(m)
  return { begin = m.begin, used = m.used, before = m.before, last = m.last }
end

function window.put(m, each)
  window.move(m, each.t)
  m.used = m.used + each.n
  m.last = math.max(m.last, each.t)
end

-- Takes all bookings, so that the state is that after the last.
function window.ahead(m)
  for _, each in ipairs(m.booked) do window.put(m, each) end
end

-- Changes the state without the bookings, and then takes them again.
function window.change(m, change, ...)
  for name, value in pairs(m.present) do m[name] = value end
  change(m, ...)
  m.present = window.state(m)
  window.ahead(m)
end

-- The most that may be used or charged, such that the time until all of it is forgotten is a number below MOST.
function window.most(m)
  return math.max(m.cap, math.min(MOST, m.per * floor(MOST / m.length)))
end

function window.beginning(m, t)
  return m.begins == MULTIPLES and t - t % m.length or t
end

-- Returns the latest time at which a window can begin: now, or when the last booking was that is merged into the state. Only an aligned
-- one can be yet to begin, after the clock was set back, and then at the next multiple: whoever asks before takes from it.
function window.latest(m)
  local t = math.max(now, m.last)
  return m.begins == MULTIPLES and window.beginning(m, t) + m.length or t
end

-- Converts a state of windows of another length, or that began elsewhere. If the window is over by the new length, what counts may
-- be as recent as now.
function window.under(m, length)
  local isElsewhere = m.begins == MULTIPLES and m.begin % m.length > 0
  if length == m.length and not isElsewhere then return end
  local changed = m.length
  m.length = length
  window.move(m, now)
  m.length = changed
  local elapsed = math.max(0, now - m.begin)
  if elapsed >= changed or m.begins == MULTIPLES then m.begin = window.beginning(m, m.begin + elapsed) end
end

function window.left(m, used, windows)
  return windows > floor(used / m.per) and 0 or used - windows * m.per
end

-- Returns what counts of the window before the one that many windows later; windows is at least 1.
function window.past(m, used, windows)
  return m.weighed and math.min(m.cap, window.left(m, used, windows - 1)) or 0
end

-- Returns the state at a time: the begin of its window, what is left in it, and what counts of the one before.
function window.seen(m, t)
  local elapsed = t - m.begin
  local later = elapsed < m.length and 0 or floor(elapsed / m.length)
  local left = window.left(m, m.used, later)
  local begin = m.begin + later * m.length
  if left == 0 and elapsed > 0 and m.begins == FIRST_USE then begin = t end
  return { begin = begin, used = left, before = later == 0 and m.before or window.past(m, m.used, later) }
end

function window.move(m, t)
  local seen = window.seen(m, t)
  m.begin, m.used, m.before = seen.begin, seen.used, seen.before
end

-- Returns floor(a * b / c) and the remainder, for a of 31 bits and b at most c: bit by bit if the product would not be exact.
function window.divided(a, b, c)
  local product = a * b
  if product < MOST then return floor(product / c), product % c end
  local whole, left, bit = 0, 0, 1073741824
  while bit >= 1 do
    left = left * 2
    if a >= bit then a, left = a - bit, left + b end
    local over = floor(left / c)
    whole, left, bit = whole * 2 + over, left - over * c, bit / 2
  end
  return whole, left
end

function window.weight(m, before, elapsed)
  local whole = window.divided(before, m.length - math.max(0, elapsed), m.length)
  return whole
end

function window.notBefore(m)
  return m.last
end

-- Returns the most that may remain of a window such that the weighed permits of the one before are at most free.
function window.remaining(m, before, free)
  if before <= free then return m.length end
  local whole, left = window.divided(free + 1, m.length % before, before)
  return floor(m.length / before) * (free + 1) + whole - (left == 0 and 1 or 0)
end

function window.wait(m, n, t)
  if n > m.cap then return -1 end
  local w = window.seen(m, t)
  local elapsed = t - w.begin
  local over = n + w.used - m.cap
  if over <= 0 and window.weight(m, w.before, elapsed) <= -over then return 0 end
  local later = over <= 0 and 0 or floor((over - 1) / m.per) + 1
  local before = w.before
  if later > 0 then before = window.past(m, w.used, later) end
  local free = m.cap - n - window.left(m, w.used, later)
  return later * m.length + m.length - window.remaining(m, before, free) - elapsed
end

function window.fit(m, n, t)
  return math.max(0, floor(window.available(m, t) / n))
end

function window.take(m, n, t)
  local each, latest = { t = t, n = n }, m.booked[#m.booked]
  if t <= now then return window.change(m, window.put, each) end
  if latest and latest.t == t then
    latest.n = latest.n + n
  else
    m.booked[#m.booked + 1] = each
  end
  if #m.booked > MOST_BOOKED then
    window.change(m, window.put, table.remove(m.booked, 1))
  else
    window.put(m, each)
  end
end

function window.back(m, slots)
  window.change(m, window.undo, slots)
end

-- A booking that is not found was merged into the state, or is not known, as the key was lost since: then it has taken nothing here.
-- In a window that is yet to begin counts what was taken since the multiple before it.
function window.undo(m, slots)
  window.move(m, math.max(now, m.begin))
  local early = m.begin > math.max(now, m.last) and m.length or 0
  for _, slot in ipairs(slots) do
    local left = slot.at > now and window.unbook(m, slot) or slot.n
    if slot.at <= now or m.last > now then window.less(m, left, slot.at + early) end
  end
end

-- Removes a booking at its time, or at an earlier one if the clock was set back meanwhile. Returns how many permits were not found.
function window.unbook(m, slot)
  local left = slot.n
  for i = #m.booked, 1, -1 do
    local each = m.booked[i]
    if each.t <= slot.at and left > 0 then
      local less = math.min(left, each.n)
      left, each.n = left - less, each.n - less
      if each.n == 0 then table.remove(m.booked, i) end
    end
  end
  return left
end

function window.less(m, n, at)
  local before = m.begin - at
  if before > 0 and m.weighed then
    if before <= m.length then m.before = math.max(0, m.before - n) end
  else
    local steps = before <= 0 and 0 or floor((before - 1) / m.length) + 1
    m.used = math.max(0, m.used - window.left(m, n, steps))
  end
end

function window.charge(m, n)
  window.change(m, window.more, n)
end

function window.more(m, n)
  window.move(m, math.max(now, m.begin))
  m.used = math.min(window.most(m), m.used + n)
end

function window.available(m, t)
  local w = window.seen(m, t)
  local available = m.cap - w.used - window.weight(m, w.before, t - w.begin)
  return window.notBefore(m) > t and math.min(0, available) or available
end

function window.full(m, t)
  return math.max(0, window.wait(m, m.cap, t))
end

function window.save(m)
  local present = m.present
  local value = { digits(now), digits(present.begin), digits(m.length), digits(present.used), digits(present.before),
    digits(present.last) }
  for _, each in ipairs(m.booked) do
    value[#value + 1], value[#value + 2] = digits(each.t), digits(each.n)
  end
  local full = math.max(window.full(m, now), m.last - now)
  if m.begins == CREATION then full = full + m.length end
  if m.begins == MULTIPLES then full = full + math.min(m.length, MINUTE) end -- the clock may be set back over the end
  write(m.key, table.concat(value, ':'), full + (m.initial > 0 and DAY or 0))
end
