-- Fast path for the usual question to an exact window: one key, no updates, no bookings, and either enough permits for all waiting
-- requests, or too few for one that does not wait, until the first entry expires. Answers as the rest of the script, in fewer steps,
-- and leaves all other cases to it. (x - x % 1 is the floor of x.)
if #KEYS == 1 and ARGV[1] ~= '0' and ARGV[4] == '' and ARGV[6] == '0' and not string.find(ARGV[3], ':', 1, true) then
  local sub, one, cap, period = string.sub, ARGV[1] + 0, ARGV[7] + 0, ARGV[8] + 0
  local v = call('GET', KEYS[1])
  local from, base, begin, last, sum, together = 1, '0000000000000000', nil, 0, 0, false
  local isUsual = true
  if v then
    last = sub(v, -33, -18) + 0
    isUsual = last <= now and sub(v, 1, 16) + 0 <= now
    local low, high = 0, (#v - 48) / 33
    local entries = high
    if sub(v, 49, 64) + period > now then high = 0 end
    while low < high do
      local middle = low + high + 1
      middle = (middle - middle % 2) / 2
      if sub(v, middle * 33 + 16, middle * 33 + 31) + period <= now then low = middle else high = middle - 1 end
    end
    from, base = low * 33 + 49, sub(v, low == 0 and 17 or low * 33 + 32, low == 0 and 32 or low * 33 + 47)
    begin, sum = sub(v, 33, 48), sub(v, -17, -2) + 0
    isUsual = isUsual and sum < MOST
    together = low < entries and (last == now or now - begin < (ARGV[9] or 0) + 0) and sub(v, -1) ~= 'd'
  end
  local free = cap - sum + base
  local fit, most = free / one, ARGV[2] / one
  if most < fit then fit = most end
  local granted = (fit - fit % 1) * one
  if isUsual and granted > 0 and granted + one > permitsInAll() then
    sum = sum + granted
    local kept = (v and sub(v, from, together and -34 or -1) or '') .. stamp .. padded(sum) .. ' '
    write(KEYS[1], stamp .. base .. (together and begin or stamp) .. kept, period)
    local first = sub(kept, 1, 16) + period - now
    return format('%s %d 0 %d %d%08d %s %s', stamp, granted, cap - sum + base, floor(first / 100000000), first % 100000000,
      ARGV[8], ARGV[8])
  end
  -- What is refused waits for the first entry only if that frees enough.
  if isUsual and free < one and one <= cap and ARGV[3] == '' and sub(v, from + 16, from + 31) - base >= one - free then
    local first, full = digits(sub(v, from, from + 15) + period - now), digits(last + period - now)
    return format('%s 0 %s %s %s %s %s', stamp, first, digits(free), first, full, full)
  end
end
