-- The registry of layouts: notes a description, or reads one as the codes of its bytes.

if ARGV[3] == 'note' then
  redis.call('SET', KEYS[1], ARGV[4], 'PX', ARGV[5])
  return 1
elseif ARGV[3] == 'read' then
  local text, codes = redis.call('GET', KEYS[1]) or '', {}
  for i = 1, #text do codes[i] = string.byte(text, i) end
  return codes
end
