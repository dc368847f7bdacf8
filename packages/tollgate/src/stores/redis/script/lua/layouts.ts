/** The registry of layouts: notes a description, or reads one as the codes of its bytes. */
export const LAYOUTS = `
if ARGV[4] == 'note' then
  redis.call('SET', KEYS[1], ARGV[5], 'PX', ARGV[6])
  return 1
elseif ARGV[4] == 'read' then
  local text, codes = redis.call('GET', KEYS[1]) or '', {}
  for i = 1, #text do codes[i] = string.byte(text, i) end
  return codes
end
`;
