import type { Mutant } from "./mutant.ts";

const KERNEL = "concurrency.ts";
const COSTS = "../limiter/choosing/place-costs.ts";

export const PLACE_MUTANTS: readonly Mutant[] = [
  {
    name: "a place is freed that expires sooner",
    file: KERNEL,
    find: "let group = this.#firstFrom(cells, at, taken[0]! + this.#ttlUs);",
    replace: "let group = 0;",
    why: "the place of a crashed holder would never expire",
  },
  {
    name: "expired places stay in the cells",
    file: KERNEL,
    find: "    this.#removeExpired(cells, at, now);\n",
    replace: "",
    why: "groups run out, and others expire late",
  },
  {
    name: "an expired place is renewed",
    file: KERNEL,
    find: "untilUs <= now[0]! || ",
    replace: "",
    why: "it may be the place of another holder by now",
  },
  {
    name: "a renewed place keeps its end, too",
    file: KERNEL,
    find: "    cells[count]! -= 1;\n",
    replace: "",
    why: "one holder counts twice",
  },
  {
    name: "places of one moment are freed together",
    file: KERNEL,
    find: "const freed = Math.min(left, cells[count]!);",
    replace: "const freed = cells[count]!;",
    why: "the places of other holders are freed",
  },
  {
    name: "an empty group stays",
    file: KERNEL,
    find: "if (cells[count] === 0) this.#remove(cells, at, group, 1);\n      else",
    replace: "if (cells[count] !== 0)",
    why: "it hides the groups behind it",
  },
  {
    name: "a reservation without a plain cost takes no place",
    file: COSTS,
    find: "else if (!isTaken) out[i] = 1;",
    replace: "else if (!isTaken) out[i] = 0;",
    why: "nothing limits how many are open",
  },
];
