import type { Mutant } from "./mutant.ts";

const CARRY_OVER = "carry-over.ts";
const BUCKET = "token-bucket.ts";
const SLIDING = "sliding-window.ts";
const RING = "group-ring.ts";
const FIXED = "fixed-window.ts";
const PLAN = "../core/plan.ts";
const MEMORY = "../stores/memory";
const VERBS = `${MEMORY}/key-verbs.ts`;
const FORMER = `${MEMORY}/former-rows.ts`;
const KEPT = `${MEMORY}/kept-views.ts`;

/** Mistakes in what a key has used when limits change. */
export const CHANGE_MUTANTS: readonly Mutant[] = [
  {
    name: "limits of one name carry over between units",
    file: PLAN,
    find: "[limit.unit, limit.name, limit.algorithm, window]",
    replace: "[limit.name, limit.algorithm, window]",
    why: "requests become tokens",
  },
  {
    name: "limits of one name carry over between windows",
    file: PLAN,
    find: "[limit.unit, limit.name, limit.algorithm, window]",
    replace: "[limit.unit, limit.name, limit.algorithm]",
    why: "alternating between a long and a short window admits more than both",
  },
  {
    name: "a limit that stays is converted",
    file: CARRY_OVER,
    find: "if (from.limit.fingerprint === kernel.limit.fingerprint) {",
    replace: "if (from.limit.fingerprint === kernel.limit.name) {",
    why: "an unchanged limit is not bit for bit what it was",
  },
  {
    name: "the fraction of a unit is lost when a bucket changes",
    file: BUCKET,
    find: "units * this.#unitTicks + Math.min(part, this.#unitTicks);",
    replace: "units * this.#unitTicks;",
    why: "alternating between two buckets gives units away",
  },
  {
    name: "debt is forgiven when a bucket changes",
    file: BUCKET,
    find: "const units = (used - rest) / from.#unitTicks;",
    replace: "const units = Math.min((used - rest) / from.#unitTicks, from.limit.capacity);",
    why: "debt does not stay debt",
  },
  {
    name: "units of a log are as old as their oldest",
    file: SLIDING,
    find: "moment[0] = theirs[from.#ring.place(theirsAt, group) + LAST]!;",
    replace: "moment[0] = theirs[from.#ring.place(theirsAt, from.#ring.oldest(groups)) + LAST]!;",
    why: "units leave too early when a window changes",
  },
  {
    name: "units that have left come with a log",
    file: RING,
    find: "theirs[place + TOTAL]! - left);\n    }",
    replace: "theirs[place + TOTAL]!);\n    }",
    why: "units are invented when a limit changes",
  },
  {
    name: "a fixed window begins anew with other numbers",
    file: FIXED,
    find: "cells[at + OPENED] = theirs[theirsAt + OPENED]!;",
    replace: "cells[at + OPENED] = _now[0]!;",
    why: "a window from first use is longer after a change",
  },
  {
    name: "a key that moves stays where it was",
    file: VERBS,
    find: "      one.slab.remove(one.slab.rows.chunks[row >>> ROW_SHIFT]!, row & ROW_MASK);\n",
    replace: "",
    why: "alternating between two limits gives both quotas",
  },
  {
    name: "limits that a list loses are forgotten",
    file: VERBS,
    find: "for (const rest of rests) rest.slab.insert(text, hash, rest.cells);",
    replace: "",
    why: "alternating between two lists gives back what only one counts",
  },
  {
    name: "idle rows stay when a key is counted elsewhere",
    file: FORMER,
    find: "else if (dropsIdle) slab.remove(chunk, row & ROW_MASK);",
    replace: "",
    why: "a key has two rows of one limit",
  },
  {
    name: "first numbers do not hold",
    file: KEPT,
    find: "actingAs(counted.get(names[i]) ?? limit, limit)",
    replace: "limit",
    why: "keep-first exceeds the first numbers",
  },
  {
    name: "first numbers keep their mode",
    file: KEPT,
    find: "actingAs(counted.get(names[i]) ?? limit, limit)",
    replace: "counted.get(names[i]) ?? limit",
    why: "a shadow limit denies",
  },
  {
    name: "decisions name limits that did not decide",
    file: VERBS,
    find: "report.keptLimits[at + i] = limit;",
    replace: "report.keptLimits[at + i] = undefined;",
    why: "a denial names other numbers than those that denied",
  },
  {
    name: "a look moves a key",
    file: VERBS,
    find: "if (!this.#call.verb.changes) {",
    replace: "if (!(this.#call.verb.changes || this.#call.verb.reserves)) {",
    why: "peek changes when units come back",
  },
  {
    name: "a reset forgets other limits of the row",
    file: `${MEMORY}/forgetting.ts`,
    find: "if (this.#hasAll(rows)) {",
    replace: "if (rows.names.length > 0) {",
    why: "resetting one limiter gives back what another one counts",
  },
  {
    name: "a reset forgets a key under its own list alone",
    file: `${MEMORY}/all-rows.ts`,
    find: "return new Set(names.flatMap((name) => [...(ofScope?.get(name) ?? [])]));",
    replace: "return new Set([...(ofScope?.get(names[0]!) ?? [])].slice(0, 1));",
    why: "a key keeps what it has used under other limits of the list",
  },
  {
    name: "a correction ignores resets",
    file: `${MEMORY}/corrections.ts`,
    find: "const counted = isForgotten ? undefined :",
    replace: "const counted = isForgotten && i < 0 ? undefined :",
    why: "a late refund gives back units that others have taken since",
  },
  {
    name: "the index is asked for another hash than a table adds",
    file: "../stores/table/table-store.ts",
    find: "return hash.words[1]!;",
    replace: "return hash.words[0]!;",
    why: "with many numbers of one name, changing the number gives another quota",
  },
];
