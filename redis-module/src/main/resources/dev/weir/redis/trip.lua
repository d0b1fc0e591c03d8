-- Decides one question: undoes, charges and takes, in this order, on one or several keys, all or nothing; writes only changes.
-- ARGV: 1 permits of the first request, 0 to take nothing   2 permits to take at once, at most
-- 3 permits that may be taken or booked in all, longest wait of the first request, longest wait of the others, runs of requests of one
-- size as size:permits,size:permits... unless all are like the first; empty if all are 0
-- 4 permits to charge, name of the node, slots to undo as n:at,n:at..., each followed by t if it was taken rather than booked, or by p
-- if so and the rest of its request stays taken, and by x and the number of its requests if there are several, and slots booked,
-- likewise; and, if the node owes what it admitted alone, n,n...: for each key as much as its limit counts of that; a w before all that
-- if the state is to be written in any case, as the limit may be another; empty if all that is empty, and no kind has to know the node
-- Then for each key: its kind, what it counts (0 permits, 1 requests, 2 requests, and if one is available, any number of permits is),
-- and seven numbers specific to the kind; without trailing zeros.
-- Answer, in one line: now, permits granted now, microseconds until the next request could be granted (-1: unknown), permits available,
-- until there is one more, until the largest request, until as good as new; and of each booking, in how long and how many permits.
local one, most = tonumber(ARGV[1]), tonumber(ARGV[2])
local longest, ahead = string.match(ARGV[3], '^%d+ (%d+) (%d+)')
longest, ahead = tonumber(longest or 0), tonumber(ahead or 0)
local flag, charge, undone, before, owed = string.match(ARGV[4], '^(w?)(%d+) %S+ (%S*) (%S*) ?(%S*)$')
charge, undone, before, owed = tonumber(charge or 0), undone or '', before or '', owed or ''
local writes = flag == 'w'
local members, dirty = {}, writes

-- Runs of requests of one size, in the order in which they are served.
local runs = {}
for n, permits in string.gmatch(ARGV[3], '(%d+):(%d+)') do
  local size = tonumber(n)
  runs[#runs + 1] = { one = size, requests = floor(permits / size) }
end
if #runs == 0 and one > 0 then runs[1] = { one = one, requests = math.max(1, floor(math.max(most, permitsInAll()) / one)) } end

-- The most requests of a single bucket that are booked at once.
local MOST_IN_SERIES = 128

for i, key in ipairs(KEYS) do
  local at, args = 9 * i - 4, {}
  for k = 1, 7 do args[k] = tonumber(ARGV[at + 1 + k] or 0) end
  local kind = kinds[ARGV[at]]
  local m = kind.load(key, args)
  m.kind, m.calls, m.anySize = kind, ARGV[at + 1] ~= '0', ARGV[at + 1] == '2'
  m.one = m.calls and 1 or one -- what a request of the current size counts for here
  dirty = dirty or m.dirty
  members[i] = m
end

local function undo(of, list)
  local permits, requests = {}, {}
  for n, at, how, count in string.gmatch(list, '(%d+):(%d+)([pt]?)x?(%d*)') do
    local taken = tonumber(at)
    local slot = { n = tonumber(n), at = how == '' and taken or math.min(now, taken), part = how == 'p' }
    slot.moved = slot.at < taken
    permits[#permits + 1] = slot
    if not slot.part then requests[#requests + 1] = { n = tonumber(count) or 1, at = slot.at, moved = slot.moved } end
  end
  for _, m in ipairs(of) do m.kind.back(m, m.calls and requests or permits) end
end

if undone ~= '' then
  undo(members, undone)
  dirty = true
end
for _, m in ipairs(members) do
  if m.kind.adopt then m.kind.adopt(m, writes or undone ~= '') end
end
if charge > 0 or owed ~= '' then
  local alone = {}
  for n in string.gmatch(owed, '%d+') do alone[#alone + 1] = tonumber(n) end
  for i, m in ipairs(members) do
    local more = (m.calls and 0 or charge) + (alone[i] or 0)
    if more > 0 then m.kind.charge(m, more) end
  end
  dirty = true
end

local function take(requests, t)
  for _, m in ipairs(members) do m.kind.take(m, requests * m.one, t) end
  dirty = true
end

-- Returns how long until each of these can give n permits, or calls requests, at the same time, from the last booking on.
local function untilAll(of, n, calls)
  local t = now
  for _, m in ipairs(of) do t = math.max(t, m.kind.notBefore(m)) end
  for _ = 1, 64 do
    local longest = 0
    for _, m in ipairs(of) do
      local wait = m.kind.wait(m, m.calls and calls or n, t)
      if wait < 0 then return -1 end
      longest = math.max(longest, wait)
    end
    t = t + longest
    if longest == 0 or #of == 1 then return t - now end
  end
  return -1
end

local function copy(of)
  local like = {}
  for k, v in pairs(of) do like[k] = k ~= 'kind' and type(v) == 'table' and copy(v) or v end
  return like
end

-- Returns the run whose requests are next, if one of them fits into that many permits, and makes its size the current one.
local function nextRun(permits)
  local run = runs[1]
  if not run or run.one > permits then return nil end
  one = run.one
  for _, m in ipairs(members) do m.one = m.calls and 1 or one end
  return run
end

local function served(run, requests)
  run.requests = run.requests - requests
  if run.requests == 0 then table.remove(runs, 1) end
end

local granted, wait, booked = 0, 0, {}
local run = nextRun(most)
while run do
  local fit = math.min(run.requests, floor((most - granted) / one))
  for _, m in ipairs(members) do
    fit = m.kind.notBefore(m) > now and 0 or math.min(fit, m.kind.fit(m, m.one, now))
  end
  if fit > 0 then take(fit, now) end
  granted = granted + fit * one
  served(run, fit)
  run = run.requests == 0 and nextRun(most - granted)
end

-- The state reported in the answer leaves out this node's bookings, earlier ones and those about to be made.
local seen = members
if before ~= '' then
  seen = {}
  for i, m in ipairs(members) do seen[i] = copy(m) end
  undo(seen, before)
end
local available, full, least = 2147483647, 0, 2147483647
for _, m in ipairs(seen) do
  local has = m.kind.available(m, now)
  if m.anySize and has > 0 then has = 2147483647 end
  available = math.min(available, has)
  if not m.calls then least = math.min(least, m.cap) end
  local untilFull = m.kind.full(m, now)
  full = (full < 0 or untilFull < 0) and -1 or math.max(full, untilFull)
end
local first, largest = untilAll(seen, math.min(least, math.max(0, available) + 1), 1), untilAll(seen, least, 1)

-- Both ways to book requests of a run return how many, and how long the next would have to wait, or 0. The first request is booked
-- whatever is asked for.
local asked, inAll, reach = granted, permitsInAll(), MOST
for _, m in ipairs(members) do reach = math.min(reach, m.reach or reach) end
local function unasked() return math.max(1, floor((inAll - asked) / one)) end

local single = #members == 1 and members[1]
local function bookSeries(run, left, longest)
  local before, requests = #booked, 0
  local most = math.min(left, run.requests, unasked())
  local next = single.kind.series(single, single.one, most, longest, ahead, booked)
  for i = before + 2, #booked, 2 do
    local each = booked[i] / single.one
    requests, booked[i] = requests + each, each * one
  end
  dirty = dirty or requests > 0
  return requests, next
end

-- Requests of one size that can be served at the same time make one booking.
local function bookTogether(run, left, longest)
  local next = untilAll(members, one, 1)
  if next < 0 or next > math.min(reach, longest) then return 0, next end
  local t, fit = now + next, next > ahead and 1 or math.min(run.requests, unasked())
  for _, m in ipairs(members) do
    if fit > 1 then fit = math.max(1, math.min(fit, m.kind.fit(m, m.one, t))) end
  end
  take(fit, t)
  booked[#booked + 1], booked[#booked + 2] = next, fit * one
  return fit, 0
end

local inSeries = single and single.kind.series
local book, left = inSeries and bookSeries or bookTogether, inSeries and MOST_IN_SERIES or MOST_BOOKED
run = nextRun(asked == 0 and MOST or inAll - asked)
while run and left > 0 do
  local requests
  requests, wait = book(run, left, asked == 0 and longest or ahead)
  if requests == 0 then break end
  asked = asked + requests * one
  left = left - (inSeries and requests or 1)
  served(run, requests)
  run = wait == 0 and nextRun(inAll - asked)
end

-- A server without memory refuses to write, but not to delete, which is all that is done where nothing is left.
if writes then write(KEYS[1], '', 0) end
if dirty then
  for _, m in ipairs(members) do m.kind.save(m) end
end
local answer = { now, granted, wait, available, first, largest, full }
for i = 1, #booked do answer[7 + i] = booked[i] end
for i = 1, #answer do answer[i] = digits(answer[i]) end
return table.concat(answer, ' ')
