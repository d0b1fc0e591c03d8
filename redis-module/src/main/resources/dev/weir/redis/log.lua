-- The exact window, and the window in segments: a log of takes.
-- State: stamp, permits before the first entry, begin of the last entry's segment, and then for each entry its time and the sum
-- of all permits up to it, 16 digits each, and 'd' if it is debt. Sums allow binary search for the permits between entries.
-- Debt and bookings are entries with times in the future.
local log = {}
kinds.log = log

local ENTRY = 33
local MOST_DEBTS = 1000
local MOST_ENTRIES = 1024

local function entry(time, sum, debt)
  return padded(time) .. padded(sum) .. (debt and 'd' or ' ')
end

function log.load(key, args)
  local m = { key = key, cap = args[1], period = args[2], segment = args[3], begin = 0, base = 0, s = '' }
  local v = call('GET', key)
  if v then
    m.base, m.begin, m.s = tonumber(string.sub(v, 17, 32)), tonumber(string.sub(v, 33, 48)), string.sub(v, 49)
  end
  m.entries = #m.s / ENTRY
  local by = v and math.max(0, tonumber(string.sub(v, 1, 16)) - now) or 0
  m.dirty = by > 0
  if m.dirty or m.base >= MOST then log.rewrite(m, by) end
  local gone = log.expired(m, now)
  if gone > 0 then
    m.base = log.sum(m, gone)
    m.s = string.sub(m.s, gone * ENTRY + 1)
    m.entries = m.entries - gone
  end
  return m
end

-- Sets all times back by as much as the clock was set back, and rebases the sums to zero, as sums of more than 2^53 are not exact.
function log.rewrite(m, by)
  local s = {}
  for i = 1, m.entries do
    s[i] = entry(math.max(0, log.time(m, i) - by), log.sum(m, i) - m.base, log.isdebt(m, i))
  end
  m.s, m.base, m.begin = table.concat(s), 0, math.max(0, m.begin - by)
end

function log.time(m, i)
  return tonumber(string.sub(m.s, i * ENTRY - 32, i * ENTRY - 17))
end

function log.sum(m, i)
  return i == 0 and m.base or tonumber(string.sub(m.s, i * ENTRY - 16, i * ENTRY - 1))
end

function log.isdebt(m, i)
  return string.sub(m.s, i * ENTRY, i * ENTRY) == 'd'
end

-- Returns how many entries are before a time.
function log.before(m, t)
  local low, high = 0, m.entries
  while low < high do
    local middle = math.ceil((low + high) / 2)
    if log.time(m, middle) < t then low = middle else high = middle - 1 end
  end
  return low
end

-- Returns how many entries no longer count.
function log.expired(m, t)
  return log.before(m, t - m.period + 1)
end

function log.free(m, t)
  return m.cap - (log.sum(m, m.entries) - log.sum(m, log.expired(m, t)))
end

function log.notBefore(m)
  return m.entries == 0 and 0 or log.time(m, m.entries)
end

function log.wait(m, n, t)
  if n > m.cap then return -1 end
  local gone = log.sum(m, log.expired(m, t))
  local missing = log.sum(m, m.entries) - gone + n - m.cap
  if missing <= 0 then return 0 end
  local low, high = 1, m.entries
  while low < high do
    local middle = floor((low + high) / 2)
    if log.sum(m, middle) - gone >= missing then high = middle else low = middle + 1 end
  end
  return log.time(m, low) + m.period - t
end

function log.fit(m, n, t)
  return math.max(0, floor(log.free(m, t) / n))
end

-- Bookings are merged with earlier takes only if there are many entries: merged takes count from then on, even if one is undone.
function log.take(m, n, t)
  local apart = t > now and m.entries < MOST_ENTRIES and log.notBefore(m) <= now
  log.add(m, n, t, false, not apart and t - m.begin < m.segment)
end

-- Adds an entry, or adds to the last one if that is of the same time or together is set. Debt entries are not merged with others.
function log.add(m, n, t, debt, together)
  local sum = log.sum(m, m.entries) + n
  local last = m.entries
  local merged = last > 0 and log.isdebt(m, last) == debt
    and (log.time(m, last) == t or together)
  if merged then
    m.s = string.sub(m.s, 1, -ENTRY - 1) .. entry(t, sum, debt)
  else
    m.s = m.s .. entry(t, sum, debt)
    m.entries = last + 1
    m.begin = together == nil and 0 or t
  end
end

function log.debts(m)
  local debts = 0
  for i = m.entries, 1, -1 do
    if log.time(m, i) <= now then break end
    if log.isdebt(m, i) then debts = debts + 1 end
  end
  return debts
end

-- Each permit takes the next place that the limit allows. What would need too many entries, or times too far ahead, is forgiven.
-- New entries are appended together at the end, as each append copies the whole string.
function log.charge(m, n)
  local t, left, rounds = math.max(now, log.notBefore(m)), n, log.debts(m)
  if t == now and n <= log.free(m, t) then return log.take(m, n, t) end
  local times, sums, s, gone, sum = {}, {}, {}, log.expired(m, t), log.sum(m, m.entries)
  local function upTo(i) return i <= m.entries and log.sum(m, i) or sums[i - m.entries] end
  local function ends(i) return (i <= m.entries and log.time(m, i) or times[i - m.entries]) + m.period end
  while left > 0 and rounds < MOST_DEBTS and t - now < MOST do
    local free = math.min(left, m.cap - sum + upTo(gone))
    if free <= 0 then
      while upTo(gone) <= sum - m.cap do gone = gone + 1 end
      t = ends(gone)
      while gone < m.entries + #s and ends(gone + 1) <= t do gone = gone + 1 end
    else
      sum, left, rounds = sum + free, left - free, rounds + 1
      if t == log.notBefore(m) then
        log.add(m, free, t, t > now, nil)
      else
        times[#times + 1], sums[#sums + 1], s[#s + 1] = t, sum, entry(t, sum, t > now)
      end
    end
  end
  if #s > 0 then m.s, m.entries, m.begin = m.s .. table.concat(s), m.entries + #s, 0 end
end

-- Debt lies where the limit of its charge allowed it, and behind the bookings of then: it is charged anew, unless there are bookings, as
-- it would be moved behind these, and nobody takes before them. The state does not say under which limit it was written.
function log.adopt(m, mayMove)
  local owes = false
  for i = mayMove and m.entries or 0, 1, -1 do
    if log.time(m, i) <= now then break end
    if not log.isdebt(m, i) then return end
    owes = true
  end
  if owes then log.undo(m, { { n = 0, at = now } }) end
end

-- Undoes for each slot the earliest takes at its time or after. Slots in the future are undone apart from the others, in order. Those
-- that were moved are not found: what is there at that time now may be the bookings of others.
function log.back(m, slots)
  local some = {}
  for _, slot in ipairs(slots) do
    if some[1] and (some[1].at > now) ~= (slot.at > now) then
      log.undo(m, some)
      some = {}
    end
    if now - slot.at < m.period and not slot.moved then some[#some + 1] = slot end
  end
  if some[1] then log.undo(m, some) end
end

-- One pass, ordered by time: the result does not depend on the order. Debt is removed first and charged anew, behind the bookings:
-- the places it now finds free count as used at the time of the charge, now at the latest, not when the undone permits were taken.
-- Slots not found among the entries reduce that debt. Neither the next take nor the new debt is merged with the entries before.
function log.undo(m, slots)
  table.sort(slots, function(one, other) return one.at < other.at end)
  local isBooked, from, next = slots[1].at > now, log.before(m, slots[1].at), 1
  local sum, left, owed, isLastGone = log.sum(m, from), 0, 0, m.entries == 0
  local s, before = { string.sub(m.s, 1, from * ENTRY) }, sum
  for i = from + 1, m.entries do
    local time, upTo, debt = log.time(m, i), log.sum(m, i), log.isdebt(m, i)
    local count = upTo - before
    before = upTo
    while slots[next] and slots[next].at <= time do left, next = left + slots[next].n, next + 1 end
    if not debt or time <= now then
      local less = math.min(left, count)
      count, left = count - less, left - less
    elseif not isBooked then
      owed, count = owed + count, 0
    end
    if count > 0 then
      sum = sum + count
      s[#s + 1] = string.sub(m.s, i * ENTRY - 32, i * ENTRY - 17) .. padded(sum) .. (debt and 'd' or ' ')
    end
    isLastGone = count == 0
  end
  for i = next, #slots do left = left + slots[i].n end
  m.s, m.entries = table.concat(s), from + #s - 1
  if isLastGone or owed > 0 then m.begin = 0 end
  if owed > left then
    log.charge(m, owed - left)
    m.begin = 0
  end
end

function log.available(m, t)
  local debt = 0
  for i = m.entries, 1, -1 do
    if log.time(m, i) <= t then break end
    if log.isdebt(m, i) then debt = debt + log.sum(m, i) - log.sum(m, i - 1) end
  end
  if debt > 0 then return -debt end
  return log.notBefore(m) > t and math.min(0, log.free(m, t)) or log.free(m, t)
end

function log.full(m, t)
  return m.entries == 0 and 0 or math.max(0, log.notBefore(m) + m.period - t)
end

function log.save(m)
  if m.entries == 0 then
    call('DEL', m.key)
  else
    write(m.key, stamp .. padded(m.base) .. padded(m.begin) .. m.s, log.full(m, now))
  end
end
