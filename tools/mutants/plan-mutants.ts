import type { Mutant } from "./mutant.ts";

const VERBS = "compiled-plan.ts";
const SEVERAL = "several-takes.ts";
const TRANSACT = "transact.ts";

export const PLAN_MUTANTS: readonly Mutant[] = [
  {
    name: "shadow limits deny",
    file: SEVERAL,
    find:
      "if (!this.#plan.enforces[i]!) continue;\n" +
      "      if (!this.#kernels[i]!.conforms(cells, base + this.#offsets[i]!, now, costs[i]!)) return false;",
    replace: "if (!this.#kernels[i]!.conforms(cells, base + this.#offsets[i]!, now, costs[i]!)) return false;",
    why: "watching a limit changes decisions",
  },
  {
    name: "shadow limits go into debt",
    file: VERBS,
    find: "takesFrom(verb, cost, admitted && conforms)",
    replace: "takesFrom(verb, cost, admitted)",
    why: "a shadow limit takes what does not conform",
  },
  {
    name: "denied calls take",
    file: VERBS,
    find: "takesFrom(verb, cost, admitted && conforms)",
    replace: "takesFrom(verb, cost, conforms)",
    why: "not all or nothing",
  },
  {
    name: "plain costs are taken before all limits are asked",
    file: SEVERAL,
    find: "if (!this.#kernels[i]!.conforms(cells, base + this.#offsets[i]!, now, costs[i]!)) return false;",
    replace: "if (!this.#kernels[i]!.tryTake(cells, base + this.#offsets[i]!, now, costs[i]!)) return false;",
    why: "`allow` is not all or nothing, and takes twice",
  },
  {
    name: "plain costs are not taken where there are many cells",
    file: SEVERAL,
    find: "this.#kernels[i]!.take(cells, base + this.#offsets[i]!, now, costs[i]!);",
    replace: "continue;",
    why: "`allow` counts nothing under several limits",
  },
  {
    name: "plain costs stay taken though a later limit denies",
    file: SEVERAL,
    find: "this.undo(cells, base);\n      return false;",
    replace: "return false;",
    why: "`allow` is not all or nothing",
  },
  {
    name: "too little is put back when a later limit denies",
    file: SEVERAL,
    find: "for (let i = 0; i < this.#width; i += 1) this.#cellsBefore[i] = cells[base + i]!;",
    replace: "this.#cellsBefore[0] = cells[base]!;",
    why: "a denied call leaves the cells of an earlier key in place",
  },
  {
    name: "plain costs are admitted though a limit denies",
    file: SEVERAL,
    find: "if (this.#kernels[i]!.tryTake(cells, base + this.#offsets[i]!, now, costs[i]!)) continue;",
    replace: "this.#kernels[i]!.tryTake(cells, base + this.#offsets[i]!, now, costs[i]!); continue;",
    why: "`allow` admits what a limit denies",
  },
  {
    name: "every plain cost is taken as the last one",
    file: SEVERAL,
    find: "cost === this.#plainCost ? this.#plainCosts",
    replace: "this.#plainCost > 0 ? this.#plainCosts",
    why: "`allow` under several limits ignores the cost",
  },
  {
    name: "what the first spaces took stays taken",
    file: TRANSACT,
    find: "undo(calls[before]!, now, records[before]!);",
    replace: "break;",
    why: "`allow` on several spaces is not all or nothing",
  },
  {
    name: "charges only what conforms",
    file: VERBS,
    find: "takesFrom(verb, cost, admitted && conforms)",
    replace: "(admitted && conforms && takesFrom(verb, cost, true))",
    why: "a key never goes into debt",
  },
  {
    name: "refunds take",
    file: SEVERAL,
    find: "this.#kernels[i]!.refund(cells, base + this.#offsets[i]!, now, costs[i]!);",
    replace: "this.#kernels[i]!.take(cells, base + this.#offsets[i]!, now, costs[i]!);",
    why: "a refund takes units",
  },
  {
    name: "dropped without idle time",
    file: VERBS,
    find: "then[0] = now[0]! - this.idleTtlUs;",
    replace: "then[0] = now[0]!;",
    why: "a bucket that began empty is forgotten as soon as it is full, and is empty again",
  },
  {
    name: "any idle limit drops the key",
    file: VERBS,
    find: "if (!this.#kernels[i]!.isIdle(cells, base + this.#offsets[i]!, then)) return false;\n    }\n    return true;",
    replace:
      "if (this.#kernels[i]!.isIdle(cells, base + this.#offsets[i]!, then)) return true;\n    }\n    return false;",
    why: "a sweep lets units pass twice",
  },
  {
    name: "shortest idle time of the plan",
    file: VERBS,
    find: "Math.max(...this.#kernels.map((kernel) => kernel.idleTtlUs))",
    replace: "Math.min(...this.#kernels.map((kernel) => kernel.idleTtlUs))",
    why: "a key is forgotten before the longest of its idle times is over",
  },
  {
    name: "a denial lists every limit",
    file: VERBS,
    find: "report.conforms[at + i] = conforms;",
    replace: "report.conforms[at + i] = admitted && conforms;",
    why: "limits that conform are told as violated",
  },
  {
    name: "one limiter of several admits alone",
    file: TRANSACT,
    find: "now, report, at, taken?.[i])) admitted = false;",
    replace: "now, report, at, taken?.[i])) admitted = i > 0;",
    why: "a combination is not all or nothing",
  },
  {
    name: "costs stay taken though another limit denies",
    file: SEVERAL,
    find: "if (!admitted) this.undo(cells, base);",
    replace: "",
    why: "`consume` is not all or nothing",
  },
  {
    name: "shadow limits deny where there are few cells",
    file: SEVERAL,
    find: "if (!conforms && this.#plan.enforces[i]!) admitted = false;",
    replace: "if (!conforms) admitted = false;",
    why: "watching a limit changes decisions",
  },
];
