-- What a bucket remembers while there are bookings, or a past to remember, so that takes can be undone: the end of the latest booking;
-- the end of the latest booking that others were booked behind before; until when the past is remembered; and some eras: since when, and
-- how far ahead the bucket would be full again had it been full then. Permits given back of an era leave the bucket no fuller than that:
-- the rest would have overflowed, and bookings take what they were promised. The past is remembered once a request was settled for less,
-- for twice as long as it takes to fill, or until the bucket is full.
-- Before the first booking, and wherever others delay a booking until long after the bucket is full, there is a gap. It holds: from
-- when on there are bookings behind it; how far ahead the bucket would be full, and where the latest booking would end, without
-- those; and their permits. Once none of them is left, the bucket is as if they had never been. Gaps come after a slash.
-- A booking that is undone while others are booked behind it, and whose permits would otherwise overflow, leaves a hole: from when
-- to when. The next booking goes there: if places were given up faster than they fall due, each booking would otherwise be further
-- ahead than the one before, and none served. This delays no booking behind, as each keeps the time it was promised: a take in the
-- hole needs no more than the undone one, at the same time. Only if no two requests fit together is nothing else booked before a
-- hole ends, so that it may be used from any time on, in parts, and joined with the next. Holes come after a bar.

local ERA = 50000
local MOST_ERAS = 12
local MOST_GAPS = 12
local MOST_HOLES = 12

function bucket.recall(m, booked, passed)
  local eras, numbers = m.eras, {}
  for number in string.gmatch(booked, '%-?%d+') do numbers[#numbers + 1] = number - passed end
  m.last, m.torn, m.remembered = numbers[1], numbers[2], numbers[3]
  for i = 4, #numbers, 2 do
    local since, least = numbers[i], math.max(0, numbers[i + 1])
    if since <= 0 and m.remembered <= 0 then eras[1] = nil end
    if since > 0 or #eras == 0 or least < eras[#eras].least then eras[#eras + 1] = { since = since, least = least } end
  end
end

function bucket.recallGaps(m, gaps, passed)
  for since, ahead, last, count in string.gmatch(gaps, '(%-?%d+):(%-?%d+):(%d+):(%d+)') do
    if tonumber(since) <= passed then m.gaps = {} end
    m.gaps[#m.gaps + 1] = { since = tonumber(since) - passed, ahead = bucket.later(tonumber(ahead), passed, m.grace),
      last = math.max(0, tonumber(last) - passed), count = tonumber(count) }
  end
end

function bucket.recallHoles(m, holes, passed)
  for since, ends in string.gmatch(holes, '(%d+):(%d+)') do
    since, ends = tonumber(since) - passed, tonumber(ends) - passed
    if bucket.isApart(m) then since = math.max(0, since) end
    if since >= 0 and ends - since >= m.paid then m.holes[#m.holes + 1] = { since = since, ends = ends } end
  end
end

-- Drops eras, gaps and holes once the bucket is full, or all bookings are past and no take is to be remembered for its undoing.
function bucket.forget(m)
  if m.ahead <= 0 or (m.remembered <= 0 and (#m.eras == 0 or m.last <= 0)) then
    m.eras, m.gaps, m.holes, m.last, m.torn, m.remembered = {}, {}, {}, 0, 0, 0
  end
end

-- Begins a gap if there is one, but not behind bookings that are in no gap, as after a clock was set back: none could be assigned.
function bucket.beginGap(m, place)
  local isFirst = m.last <= 0 and #m.gaps == 0
  if isFirst or (#m.gaps > 0 and #m.gaps < MOST_GAPS and place - m.ahead > m.upm) then
    m.gaps[#m.gaps + 1] = { since = place, ahead = m.ahead, last = math.max(0, m.last), count = 0 }
  end
end

-- Begins an era. If there are many, a past one is merged into the one before it: the older eras are, the longer.
function bucket.beginEra(eras, place)
  local least, which = 1, nil
  for i = 2, #eras < MOST_ERAS and 0 or #eras - 1 do
    local length = (eras[i + 1].since - eras[i - 1].since) / (1 - eras[i - 1].since)
    if eras[i + 1].since <= 0 and length <= least then least, which = length, i end
  end
  if which then table.remove(eras, which) end
  if #eras < MOST_ERAS then eras[#eras + 1] = { since = place, least = place } end
end

-- Records a take in eras and gaps. A booking later than all before begins an era.
function bucket.note(m, n, place)
  local eras, all = m.eras, n * m.cost
  local newest = eras[#eras]
  if place > 0 or m.remembered > 0 then
    if not newest or place >= math.max(m.last, newest.since + ERA * m.upm) then bucket.beginEra(eras, place) end
  end
  if place > 0 then
    eras[1].since = math.min(eras[1].since, place)
    local ends = place + (m.spaced and all or 0)
    local before = m.last
    m.last = math.max(before, ends)
    if ends - all + m.upm <= before then m.torn = math.max(m.torn, m.spaced and m.last or ends) end
  end
  for _, era in ipairs(eras) do
    if place >= era.since then era.least = math.min(m.ahead, math.max(era.least, place) + all) end
  end
  for _, gap in ipairs(m.gaps) do
    if place + m.upm > gap.since then
      gap.count = gap.count + n
    else
      gap.ahead = math.max(gap.ahead, place) + all
      if place > 0 then gap.last = math.max(gap.last, place + (m.spaced and all or 0)) end
    end
  end
end

function bucket.back(m, slots)
  for _, slot in ipairs(slots) do bucket.undo(m, slot) end
end

-- A booking that is not known, as the key was lost since, has taken nothing here.
function bucket.undo(m, slot)
  local all, place = slot.n * m.paid, (slot.at - now) * m.by
  if place > 0 and m.last <= 0 then return end
  if slot.part then m.remembered = 2 * m.room end
  local ends = place + (m.spaced and all or 0)
  if bucket.closeGaps(m, slot.n, all, place) then
    m.torn, m.holes = math.min(m.torn, m.last), {}
    bucket.lessAhead(m, 0, place)
  elseif place > 0 and ends + m.by > m.last and not (m.spaced and ends <= m.torn) then
    bucket.unbook(m, all, place, ends)
  else
    local before = m.ahead
    bucket.credit(m, all, place)
    if place > 0 then bucket.leave(m, place, place + all - (before - m.ahead)) end -- adopt forgets it if the pace has changed
  end
end

-- Returns whether the burst is one permit, so that no two takes fit together.
function bucket.isApart(m)
  return m.room == m.cost
end

-- Adds a hole, or extends one at its begin or end. Bookings are rounded up, to less than a microsecond later.
function bucket.leave(m, place, ends)
  if ends - place < m.cost then return end
  for _, hole in ipairs(bucket.isApart(m) and m.holes or {}) do
    if place >= hole.ends and place - hole.ends < m.upm then
      hole.ends = ends
      return
    elseif hole.since >= ends and hole.since - ends < m.upm then
      hole.since = place
      return
    end
  end
  if #m.holes < MOST_HOLES then m.holes[#m.holes + 1] = { since = place, ends = ends } end
end

-- Takes from a hole. The rest of it stays at its time, unless takes are spaced: then nothing is left.
function bucket.fill(m, hole, place, all)
  if bucket.isApart(m) then
    hole.since = place + all
  else
    hole.ends = m.spaced and hole.since or hole.ends - all
  end
end

-- Returns the earliest hole with room for that much, from a whole microsecond on, and not before another place.
function bucket.hole(m, all, from)
  local earliest = nil
  for _, hole in ipairs(m.holes) do
    local begin = hole.since + -hole.since % m.upm
    if begin >= from and begin + all <= hole.ends and (not earliest or hole.since < earliest.since) then earliest = hole end
  end
  return earliest
end

-- Undoes the latest booking, at its time or an earlier one if the clock was set back: the one before ends where it begins, or later.
function bucket.unbook(m, all, place, ends)
  m.last = math.max(m.torn, math.min(m.last, ends) - all)
  m.ahead = m.ahead - all
  bucket.lessAhead(m, all, place)
end

function bucket.lessAhead(m, all, place)
  local most = m.ahead
  for i, era in ipairs(m.eras) do
    most = math.min(most, place >= era.since and era.least - all or era.least)
    era.least = most
    if most <= era.since then m.eras[i] = nil end
  end
  bucket.forget(m)
end

-- Deducts undone permits from the bookings behind each gap. A take before a gap is credited there as far as it has not refilled
-- since, unless there are bookings before the gap. Removes gaps with no permits left between them and the next, or the end. Returns
-- whether that moved the end.
function bucket.closeGaps(m, n, all, place)
  for _, gap in ipairs(m.gaps) do
    if place + m.by > gap.since then
      gap.count = gap.count - n
    elseif gap.last <= 0 then
      gap.ahead = math.max(-m.grace, gap.ahead - math.max(0, all + math.min(0, place)))
    end
  end
  local isClosed = false
  for i = #m.gaps, 1, -1 do
    local gap, after = m.gaps[i], m.gaps[i + 1] or m
    if gap.count <= (after.count or 0) then
      after.ahead, after.last = math.min(after.ahead, gap.ahead), gap.last
      isClosed = isClosed or after == m
      table.remove(m.gaps, i)
    end
  end
  return isClosed
end

-- Credits as much as would not have overflowed had the permits not been taken: what has not refilled since, apart from bookings, or
-- all that the era of the take allows.
function bucket.credit(m, all, place)
  local eras, of, begun = m.eras, 0, 1
  for i, era in ipairs(eras) do
    if era.since <= place then of = i end
    if era.since <= 0 then begun = i end
  end
  local booked = m.last > 0 and eras[begun] and eras[begun].least or -m.grace
  local ahead = math.max(booked, m.ahead - math.max(0, all + math.min(0, place)))
  if of > 0 then ahead = math.min(ahead, math.max(eras[of].least, m.ahead - all)) end
  m.ahead = math.min(m.ahead, math.max(-m.grace, ahead))
  for i = 1, of - 1 do eras[i].least = math.max(eras[of].least, eras[i].least - all) end
end
