import type { Mutant } from "./mutant.ts";

const CARRY_OVER = "carry-over.ts";
const BUCKET = "token-bucket.ts";
const SLIDING = "sliding-window.ts";
const RING = "group-ring.ts";
const FIXED = "fixed-window.ts";
const PLAN = "../core/plan.ts";
const LOCAL = "../stores/local";
const COUNTS = `${LOCAL}/former-counts.ts`;
const FIRST = `${LOCAL}/first-plan.ts`;
const VERBS = `${LOCAL}/local-verbs.ts`;
const FAMILIES = `${LOCAL}/families.ts`;
const PLACES = `${LOCAL}/key-places.ts`;

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
    file: COUNTS,
    find: "      one.table.drop(key);\n      this.#notify(",
    replace: "      this.#notify(",
    why: "alternating between two limits gives both quotas",
  },
  {
    name: "limits that a list loses are forgotten",
    file: COUNTS,
    find: "if (rest !== undefined) inserted.push(rest);",
    replace: "rest?.drop(key);",
    why: "alternating between two lists gives back what only one counts",
  },
  {
    name: "idle rows stay when a key is counted elsewhere",
    file: COUNTS,
    find: "} else if (dropsIdle) relative.drop(key);",
    replace: "}",
    why: "a key has two rows of one limit",
  },
  {
    name: "idle rows stay when a peek reserves a row",
    file: VERBS,
    find: "verb.changes || verb.reserves",
    replace: "verb.changes",
    why: "a combined call makes a second row of one limit",
  },
  {
    name: "first numbers do not hold",
    file: FIRST,
    find: "return first === undefined ? limit : actingAs(first, limit);",
    replace: "return first === undefined || limit.capacity > 0 ? limit : actingAs(first, limit);",
    why: "keep-first exceeds the first numbers",
  },
  {
    name: "first numbers keep their mode",
    file: FIRST,
    find: "actingAs(first, limit)",
    replace: "first",
    why: "a shadow limit denies",
  },
  {
    name: "decisions name limits that did not decide",
    file: VERBS,
    find: "report.keptLimits[at + i] = limits[i];",
    replace: "report.keptLimits[at + i] = undefined;",
    why: "a denial names other numbers than those that denied",
  },
  {
    name: "a look moves a key",
    file: VERBS,
    find: "    else if (verb.changes) {\n      if (counts.move(",
    replace: "    else if (verb.changes || verb.reserves) {\n      if (counts.move(",
    why: "peek changes when units come back",
  },
  {
    name: "a reset forgets a key under its last numbers alone",
    file: `${LOCAL}/plan-view.ts`,
    find: "families.relativesWith(key, this.plan)",
    replace: "families.relativesWith(key, this.plan).slice(0, 0)",
    why: "a key keeps what it has used under other numbers",
  },
  {
    name: "the index does not know new keys of a memory store",
    file: "../stores/memory/key-table.ts",
    find: "this.places?.add(this.#newHash);",
    replace: "",
    why: "with many numbers of one name, changing the number gives another quota",
  },
  {
    name: "the index is asked for another hash than a table adds",
    file: "../stores/table/table-store.ts",
    find: "return hash.words[1]!;",
    replace: "return hash.words[0]!;",
    why: "with many numbers of one name, changing the number gives another quota",
  },
  {
    name: "a key that leaves the index hides others",
    file: PLACES,
    find: "if (((at - first) & mask) < ((at - gap) & mask)) continue;",
    replace: "if (((at - first) & mask) >= ((at - gap) & mask)) continue;",
    why: "a relative that counts a key is not asked",
  },
  {
    name: "a table that was cleared adds keys under the number that is gone",
    file: PLACES,
    find: "    this.#places.leave(this.#number);\n    this.#number = 0;",
    replace: "    this.#places.leave(this.#number);",
    why: "a relative that counts a key is not asked",
  },
  {
    name: "tables that no index knows are not asked",
    file: FAMILIES,
    find: "if (table !== own && table.size > 0 && !found.includes(table)) found.push(table);",
    replace: "if (table !== own && table.size < 0) found.push(table);",
    why: "alternating between two limits gives both quotas",
  },
];
