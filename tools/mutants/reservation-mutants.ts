import type { Mutant } from "./mutant.ts";

const RESERVATION = "../limiter/reserving/reservation.ts";
const COUNTED = "../limiter/reserving/counted-call.ts";
const HANDLE = "../limiter/key-handle.ts";

export const RESERVATION_MUTANTS: readonly Mutant[] = [
  {
    name: "a second settlement counts",
    file: RESERVATION,
    find: "settle(actualCost?: Cost): Maybe<void> {\n    if (this.#end !== undefined) return undefined;",
    replace: "settle(actualCost?: Cost): Maybe<void> {",
    why: "the first of settle and cancel counts",
  },
  {
    name: "a reservation that was forgotten is given back",
    file: RESERVATION,
    find: "    if (this.#hasExpired) return this.#counted.free();\n",
    replace: "",
    why: "after its ttl it counts as settled",
  },
  {
    name: "a bad cost ends a reservation",
    file: RESERVATION,
    find: 'if (error instanceof TollgateError && error.code === "ERR_COST") this.#end = undefined;',
    replace: "",
    why: "what is reserved is never given back",
  },
  {
    name: "a denied reservation gives its estimate back",
    file: COUNTED,
    find: "decision.allowed ? this.#read(cost) : this.#isPlace.map(() => 0)",
    replace: "this.#read(cost)",
    why: "units come back that were never taken",
  },
  {
    name: "units that a settlement does not name are given back",
    file: COUNTED,
    find: "isNamed[i]! ? named[i]! : counted",
    replace: "isNamed[i]! ? named[i]! : 0",
    why: "a settlement of tokens frees the request",
  },
  {
    name: "a charge is not added to what is reserved",
    file: COUNTED,
    find: "this.#counted = this.#counted.map((counted, i) => counted + counts[i]!);",
    replace: "",
    why: "it is charged again by the settlement",
  },
  {
    name: "a plain number is refunded in full",
    file: COUNTED,
    find: "Math.max(0, this.#counted[i]! - count)",
    replace: "(count < this.#counted[i]! ? this.#counted[i]! : 0)",
    why: "the actual cost is lost",
  },
  {
    name: "work is done though it was denied",
    file: HANDLE,
    find: "end.allowed ? begin(end, own) : rejected(new DeniedError(verb, end))",
    replace: "begin(end, own)",
    why: "a limit is exceeded",
  },
];
