-- Fast path for the usual question to a bucket: one key, no updates, and either enough permits for all waiting requests, or too few
-- for one that does not wait. Answers as the rest of the script, in fewer steps, and leaves all other cases to it. (x - x % 1 is the
-- floor of x, x + -x % 1 its ceiling.)
if #KEYS == 1 and ARGV[1] ~= '0' and ARGV[4] == '' and ARGV[6] == '0' and not string.find(ARGV[3], ':', 1, true) then
  local one, cap, upm, cost, room = ARGV[1] + 0, ARGV[7] + 0, ARGV[8] + 0, ARGV[9] + 0, ARGV[10] + 0
  local spaced, missing = ARGV[11] == '1', (ARGV[13] or 0) + 0
  local ahead, passed = missing * cost, -1 -- negative: the state is written even if nothing is granted
  local v = call('GET', KEYS[1])
  if v then
    local written, was, c, u = string.match(v, '^(%d+):(%-?%d+):(%d+):(%d+)$')
    passed = now - (written or now) -- none while anything is booked
    ahead = c == ARGV[9] and u == ARGV[8] and was - (passed > 0 and passed or 0) * upm
    if ahead and ahead < -(ARGV[12] or 0) then ahead = 0 end
  end
  local all = one * cost
  local over = ahead and ahead - room + (spaced and cost or all)
  local fit = ahead and -over / all + 1 or 0
  local refused = ahead and over > 0 and passed >= 0 and one <= cap and ARGV[3] == ''
  local most = ARGV[2] / one
  if most < fit then fit = most end
  local granted = refused and 0 or (fit - fit % 1) * one
  if refused or (granted > 0 and granted + one > permitsInAll()) then
    ahead = math.min(MOST, ahead + granted * cost)
    local full = ahead > 0 and ahead / upm or 0
    full = full + -full % 1
    if not refused then
      write(KEYS[1], stamp .. ':' .. digits(ahead) .. ':' .. ARGV[9] .. ':' .. ARGV[8], missing > 0 and full + DAY or full)
    end
    local available = (room - ahead) / cost
    available = math.min(2147483647, available - available % 1)
    local first = (ahead - room + (spaced and 1 or math.min(cap, math.max(0, available) + 1)) * cost) / upm
    local largest = (ahead - room + (spaced and 1 or cap) * cost) / upm
    first = first > 0 and first + -first % 1 or 0
    largest = largest > 0 and largest + -largest % 1 or 0
    if refused then
      local wait = over / upm
      return format('%s 0 %s %s %s %s %s', stamp, digits(wait + -wait % 1), digits(available), digits(first), digits(largest),
        digits(full))
    end
    return format('%s %d 0 %d %d%08d %d%08d %d%08d', stamp, granted, available, floor(first / 100000000),
      first % 100000000, floor(largest / 100000000), largest % 100000000, floor(full / 100000000), full % 100000000)
  end
end
