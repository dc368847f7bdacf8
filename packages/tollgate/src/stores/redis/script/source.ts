import { SCRIPT_ALGORITHMS } from "./algorithms.ts";
import { APPLY_TO_PLAN } from "./lua/apply-to-plan.ts";
import { APPLY_VERBS } from "./lua/apply-verbs.ts";
import { BLOCKS } from "./lua/blocks.ts";
import { BUCKETS } from "./lua/buckets.ts";
import { CARRY_OVER } from "./lua/carry-over.ts";
import { CELLS } from "./lua/cells.ts";
import { CELLS_OF, KEY_STATES } from "./lua/key-states.ts";
import { LAYOUTS } from "./lua/layouts.ts";
import { LEASES } from "./lua/leases.ts";
import { LONE_CALLS } from "./lua/lone-calls.ts";
import { MAIN } from "./lua/main.ts";
import { ONE_BUCKET } from "./lua/one-bucket.ts";
import { READ_ARGUMENTS } from "./lua/read-arguments.ts";
import { REPEATS } from "./lua/repeats.ts";
import { SECTIONS } from "./lua/sections.ts";
import { VERB_TABLE } from "./lua/verb-table.ts";

/** A cancelled call does nothing. The forms before have names of their own. */
const CHECK_CANCEL_FLAG = `
if ARGV[1] ~= '1' then return {} end
`;

/** The kernels, and their makers by the algorithms' codes. */
const ALGORITHMS = `${Object.values(SCRIPT_ALGORITHMS)
  .map(({ lua }) => lua)
  .join("")}
local makers = { ${Object.values(SCRIPT_ALGORITHMS)
  .map(({ code, maker }) => `${code} = ${maker}`)
  .join(", ")} }
`;

const PARTS = [
  LONE_CALLS,
  CHECK_CANCEL_FLAG,
  ONE_BUCKET,
  BUCKETS,
  LAYOUTS,
  READ_ARGUMENTS,
  CELLS,
  ALGORITHMS,
  VERB_TABLE,
  APPLY_TO_PLAN,
  KEY_STATES,
  SECTIONS,
  CARRY_OVER,
  CELLS_OF,
  BLOCKS,
  REPEATS,
  LEASES,
  APPLY_VERBS,
  MAIN,
];

/**
 * The one script, for Redis from 6.2 and Valkey from 7. It accesses no key outside KEYS and sets no global. Its
 * numbers are float64, so it decides as the kernels do, to the bit. `encode-call.ts` writes its arguments,
 * `decode-reply.ts` reads its reply. Comments and indentation are removed.
 */
export const SCRIPT: string = PARTS.join("")
  .replaceAll(/^ *--.*$/gm, "")
  .replaceAll(/\n\s*/g, "\n")
  .trim();

/** The SHA-1 by which servers know the script. To compute it would take a library, so a test compares it. */
export const SCRIPT_SHA = "f560e462546daed477182e1e03cbb237e3822714";
