import type { Mutant } from "./mutant.ts";

const RESERVATION = "../limiter/reservation.ts";
const COUNTED = "../limiter/counted-cost.ts";
const WORK = "../limiter/outgoing-work.ts";

export const RESERVATION_MUTANTS: readonly Mutant[] = [
  {
    name: "a second settlement counts",
    file: RESERVATION,
    find: "if (this.#end !== undefined) return undefined;",
    replace: "",
    why: "the first of settle and cancel counts",
  },
  {
    name: "a reservation that was forgotten is given back",
    file: RESERVATION,
    find: "    if (this.#hasExpired) return this.#places?.free();\n",
    replace: "",
    why: "after its ttl it counts as settled",
  },
  {
    name: "a bad cost ends a reservation",
    file: RESERVATION,
    find: 'const settled = this.#counted.revise(cost);\n    this.#end = "settled";',
    replace: 'this.#end = "settled";\n    const settled = this.#counted.revise(cost);',
    why: "what is reserved is never given back",
  },
  {
    name: "a denied reservation gives its estimate back",
    file: RESERVATION,
    find: "decision.allowed ? cost : 0",
    replace: "cost",
    why: "units come back that were never taken",
  },
  {
    name: "units that a settlement does not name are given back",
    file: COUNTED,
    find: "this.#count(new Map([...this.#costs, ...named]), true)",
    replace: "this.#count(named, true)",
    why: "a settlement of tokens frees the request",
  },
  {
    name: "a charge is not added to what is reserved",
    file: COUNTED,
    find: "this.#counted += own;",
    replace: "",
    why: "it is charged again by the settlement",
  },
  {
    name: "a plain number is refunded in full",
    file: COUNTED,
    find: "const more = cost - before;",
    replace: "const more = cost < before ? -before : cost - before;",
    why: "the actual cost is lost",
  },
  {
    name: "work is done though it was denied",
    file: WORK,
    find: "if (!decision.allowed) throw new DeniedError(verb, decision);",
    replace: "",
    why: "a limit is exceeded",
  },
];
