-- Answers one question, or each of a batch of questions that differ only in their keys and first four arguments. An error of one
-- question of a batch is returned in its place, after a minus sign.
-- ARGV of a batch: 1 empty   2 number of questions   then the first four arguments of each, and last the arguments common to all.
-- Answer: a line for each question.
if ARGV[1] ~= '' then return decide() end
local keys, args = KEYS, ARGV
local count = tonumber(args[2])
local each, answers = #keys / count, {}
KEYS, ARGV = {}, {}
for i = 4 * count + 3, #args do ARGV[i - 4 * count + 2] = args[i] end
for question = 0, count - 1 do
  for k = 1, each do KEYS[k] = keys[each * question + k] end
  for k = 1, 4 do ARGV[k] = args[4 * question + 2 + k] end
  local isDone, answer = pcall(decide)
  if not isDone then
    answer = '-' .. string.gsub(type(answer) == 'table' and answer.err or tostring(answer), '%s+', ' ')
  end
  answers[question + 1] = answer
end
return table.concat(answers, '\n')
