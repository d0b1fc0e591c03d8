-- The kinds of limits, by name. Each is a table of functions over the state of one key:
--   load(key, args, now)     the state as of now; a key that does not exist is as good as new
--   floor(m)                 the earliest time at which more may be taken: nobody overtakes what is booked
--   wait(m, n, t)            microseconds from t until n can be taken; 0: at t; -1: time alone does not tell
--   fit(m, n, t)             how many requests for n can be taken at t
--   take(m, n, t)            takes n at t, which must be possible
--   back(m, slots, now)      undoes takes in turn: of each slot as many as its n, taken at its time at, or, where it is a part, of one that
--                            stays taken; all at once, as what there is to go through may be long
--   adopt(m)                 optional: counts by the limit that is asked by from here on, where that was another
--   charge(m, n, now)        takes n whether they are there or not
--   available(m, t)          how many can be taken one by one at t; negative while in debt
--   full(m, t)               microseconds until as good as new
--   series(m, n, most, first, others, booked)   optional: the same as wait and take in turn, the first no later than in so long, and
--                            the others; lists what it booked, and tells how long the next would have to wait, or 0
--   save(m, now)             writes the state, with an expiry
-- All numbers are integers below 2^53, times are microseconds of the server's clock. A state carries the stamp of its last
-- writing: where that lies ahead, the clock was set back meanwhile, and the whole state is set back with it, and written (as m.new
-- says) even if nothing else has changed.
local kinds = {}

-- What is answered is a line of numbers, not a table of them, for which a server takes as long as for half of a script.
local call, format, floor = redis.call, string.format, math.floor

-- As far as anything is counted, and for how long a full bucket or window is kept whose beginning was not full.
local MOST, DAY = 4503599627370496, 86400000000

-- Of one question, or of each of several in turn; all of them are decided by one reading of the clock.
local KEYS, ARGV = KEYS, ARGV
local time = call('TIME')
local now = time[1] * 1000000 + time[2]

-- A number in digits, and in 16 of them: in two halves, as there are servers whose Lua knows 32 bits only here.
local digits
function digits(n)
  if n < 0 then return '-' .. digits(-n) end
  if n < 100000000 then return format('%d', n) end
  return format('%d%08d', floor(n / 100000000), n % 100000000)
end

local function padded(n)
  return format('%08d%08d', floor(n / 100000000), n % 100000000)
end

-- What begins a state and an answer.
local stamp = padded(now)

-- How many permits may be taken or booked in all.
local function waiting()
  return ARGV[3] == '' and 0 or string.match(ARGV[3], '%d+$') + 0
end

-- Those of a batch are often kept for as long as one another.
local keptFor, millis
local function write(key, value, micros)
  if micros ~= keptFor then keptFor, millis = micros, digits(math.max(1, math.ceil(micros / 1000) + 1)) end
  call('SET', key, value, 'PX', millis)
end
