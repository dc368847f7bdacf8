import { ARGUMENTS } from "./lua/arguments.ts";
import { BUCKETS } from "./lua/buckets.ts";
import { CELLS } from "./lua/cells.ts";
import { FIXED_WINDOW } from "./lua/fixed-window.ts";
import { MAIN } from "./lua/main.ts";
import { ONE_BUCKET } from "./lua/one-bucket.ts";
import { PLANS } from "./lua/plans.ts";
import { REPEATS } from "./lua/repeats.ts";
import { SLIDING_WINDOW } from "./lua/sliding-window.ts";
import { STATES } from "./lua/states.ts";
import { TOKEN_BUCKET } from "./lua/token-bucket.ts";
import { VERBS } from "./lua/verbs.ts";

/** A script that was sent too late does nothing. */
const FENCE = `
if ARGV[1] ~= '1' then return {} end
`;

const PARTS = [
  FENCE,
  ONE_BUCKET,
  BUCKETS,
  ARGUMENTS,
  CELLS,
  TOKEN_BUCKET,
  SLIDING_WINDOW,
  FIXED_WINDOW,
  PLANS,
  STATES,
  REPEATS,
  VERBS,
  MAIN,
];

/**
 * The one script, for Redis from 6.2 and Valkey from 7. It touches no key but KEYS, sets no global, and its numbers are float64s as
 * ours are: it decides as the kernels do, to the bit. `encode-call.ts` writes its arguments, `decode-reply.ts` reads what it
 * answers. Comments and indentation stay here.
 */
export const SCRIPT: string = PARTS.join("")
  .replaceAll(/^ *--.*$/gm, "")
  .replaceAll(/\n\s*/g, "\n")
  .trim();
