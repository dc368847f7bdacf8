-- The one script, for Redis from 6.2 and Valkey from 7. It accesses no key outside KEYS and sets no global. Its numbers
-- are float64, so it decides as the kernels do, to the bit. `encode-call.ts` writes its arguments, `decode-reply.ts`
-- reads its reply. `source.ts` joins the files of this folder.

-- A cancelled call does nothing.
if ARGV[1] ~= '1' then return {} end

-- How much later keys expire whose time a test gives. The test's clock may stand still, while the server's goes on.
local KEPT_FOR_TESTS_MS = 86400000
