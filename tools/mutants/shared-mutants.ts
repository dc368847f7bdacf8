import type { Mutant } from "./mutant.ts";

const SHARED = "../stores/shared";
const FORMER = `${SHARED}/former-rows.ts`;
const KEYS = `${SHARED}/shared-keys.ts`;
const MOVES = `${SHARED}/key-moves.ts`;
const RELATED = `${SHARED}/related-keys.ts`;

/** Mistakes in what a key has used when limits change in shared memory. */
export const SHARED_MUTANTS: readonly Mutant[] = [
  {
    name: "shared keys lose the limits that do not move",
    file: RELATED,
    find: "entries.filter(({ kernel }) => !counted.has(kernel.limit))",
    replace: "entries.filter(({ kernel }) => !counted.has(kernel.limit) && kernel.size < 0)",
    why: "alternating between two lists gives back what only one counts",
  },
  {
    name: "shared keys count twice what has moved",
    file: RELATED,
    find: "if (!rest.includes(entry)) values.cells",
    replace: "if (rest.length === 0) values.cells",
    why: "units that came back count again with the next move",
  },
  {
    name: "shared keys lose their counts on the way",
    file: MOVES,
    find: "this.former.carryOver(counting);",
    replace: "this.former.carryOver(counting.slice(1));",
    why: "alternating between two limits gives both quotas",
  },
  {
    name: "shared keys keep what a reset finds frozen",
    file: MOVES,
    find: 'if (what === "live rows") return COUNTED_ELSEWHERE;',
    replace: 'if (what === "live rows") continue;',
    why: "a key keeps what it has used under limits that did not move",
  },
  {
    name: "shared keys are known while they are idle",
    file: FORMER,
    find: "if (!isIdle && countsFor(",
    replace: "if (countsFor(",
    why: "first numbers hold for good",
  },
  {
    name: "shared keys are decided under limits that no decision names",
    file: KEYS,
    find: "report.keptLimits[at + i] = limit;",
    replace: "report.keptLimits[at + i] = limit.capacity < 0 ? limit : undefined;",
    why: "a denial names other numbers than those that denied",
  },
];
