-- The kinds of limits, by name. Each is a table of functions over the state of one key:
--   load(key, args)          the state as of now; a key that does not exist is like a new limit; its reach, if it has one, is how
--                            many microseconds ahead it can be booked
--   notBefore(m)             the earliest time at which more may be taken: no take overtakes a booking
--   wait(m, n, t)            microseconds from t until n can be taken; 0: at t; -1: not a matter of time alone
--   fit(m, n, t)             how many requests for n can be taken at t
--   take(m, n, t)            takes n at t, which must be possible
--   back(m, slots)           undoes takes in order: of each slot its n, taken at its time at; with part, the rest of its request
--                            stays taken; with moved, it was taken at some time before, as the clock was set back since; all slots
--                            in one call, as the state to scan may be long
--   adopt(m, mayMove)        optional: converts the state to the limit of the question, if it was written under another; where the
--                            state does not tell, mayMove says that it may have been, or that bookings may have gone
--   charge(m, n)             takes n whether they are available or not
--   available(m, t)          how many can be taken one by one at t; negative while in debt
--   full(m, t)               microseconds until as good as new
--   series(m, n, most, first, others, booked)   optional: repeats wait and take, waiting at most first for the first
--                            request and at most others for the rest; appends to booked, none before
--                            those in it, and returns how long the next would wait, or 0
--   save(m)                  writes the state, with an expiry
-- All numbers are integers below 2^53, times are microseconds of the server's clock. A state carries the time of its last write
-- (stamp): if that is in the future, the clock was set back meanwhile, and the whole state is set back with it, and written (as
-- m.dirty says) even if nothing else has changed.
local kinds = {}

-- The answer is a line of numbers, not a table: converting a table takes a server as long as half of a script.
local call, format, floor = redis.call, string.format, math.floor

-- The largest value that is counted, and how much longer a full bucket or window is kept that did not begin full.
local MOST, DAY = 4503599627370496, 86400000000

-- The most times that a question books, except of a single bucket, and that a window keeps apart.
local MOST_BOOKED = 64

-- The keys and arguments of the current question of a batch; all questions of it use one reading of the clock.
local KEYS, ARGV = KEYS, ARGV
local time = call('TIME')
local now = time[1] * 1000000 + time[2]

-- Formats a number in digits, or padded to 16 digits: in two halves, as format is limited to 32 bits in the Lua of some servers.
local digits
function digits(n)
  if n < 0 then return '-' .. digits(-n) end
  if n < 100000000 then return format('%d', n) end
  return format('%d%08d', floor(n / 100000000), n % 100000000)
end

local function padded(n)
  return format('%08d%08d', floor(n / 100000000), n % 100000000)
end

-- The time that begins a state and an answer.
local stamp = padded(now)

-- Returns how many permits may be taken or booked in all.
local function permitsInAll()
  return ARGV[3] == '' and 0 or string.match(ARGV[3], '^%d+') + 0
end

-- Writes a key with an expiry. The latest expiry is cached, as it is often the same for all keys of a batch.
local keptFor, millis
local function write(key, value, micros)
  if micros ~= keptFor then keptFor, millis = micros, digits(math.max(1, math.ceil(micros / 1000) + 1)) end
  call('SET', key, value, 'PX', millis)
end
