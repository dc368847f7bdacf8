import type { Mutant } from "./mutant.ts";

const VERBS = "compiled-plan.ts";

export const PLAN_MUTANTS: readonly Mutant[] = [
  {
    name: "shadow limits deny",
    file: VERBS,
    find: "if (!conforms && this.plan.enforces[i]!) admitted = false;",
    replace: "if (!conforms) admitted = false;",
    why: "watching a limit changes decisions",
  },
  {
    name: "shadow limits go into debt",
    file: VERBS,
    find: 'verb === "charge" || this.plan.enforces[i]! || report.conforms[at + i]!',
    replace: "true",
    why: "a shadow limit takes what does not conform",
  },
  {
    name: "denied calls take",
    file: VERBS,
    find: '(!admitted && (verb === "take" || verb === "peek"))',
    replace: '(!admitted && verb === "peek")',
    why: "not all or nothing",
  },
  {
    name: "charges only what conforms",
    file: VERBS,
    find: '(!admitted && (verb === "take" || verb === "peek"))',
    replace: "!admitted",
    why: "a key never goes into debt",
  },
  {
    name: "refunds take",
    file: VERBS,
    find: 'if (verb === "refund") kernel.giveBack(cells, cell, nowUs, cost);',
    replace: 'if (verb === "refund") kernel.take(cells, cell, nowUs, cost);',
    why: "units given back are taken again",
  },
  {
    name: "dropped without idle time",
    file: VERBS,
    find: "nowUs - this.#idleTtlUs) > 0",
    replace: "nowUs) > 0",
    why: "a bucket that began empty is forgotten as soon as it is full, and is empty again",
  },
  {
    name: "any limit as good as new drops the key",
    file: VERBS,
    find: "nowUs - this.#idleTtlUs) > 0) return false;\n    }\n    return true;",
    replace: "nowUs - this.#idleTtlUs) === 0) return true;\n    }\n    return false;",
    why: "a sweep gives units away",
  },
  {
    name: "used after the wait is used now",
    file: VERBS,
    find: "kernel.used(cells, cell, nowUs + waitUs)",
    replace: "kernel.used(cells, cell, nowUs)",
    why: "usedAfterRetry tells of the wrong moment",
  },
  {
    name: "shortest idle time of the plan",
    file: VERBS,
    find: "Math.max(...plan.limits.map(idleTtlUs))",
    replace: "Math.min(...plan.limits.map(idleTtlUs))",
    why: "a key is forgotten before the longest of its idle times is over",
  },
];
