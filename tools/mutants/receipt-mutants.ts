import type { Mutant } from "./mutant.ts";

const BUCKET = "token-bucket.ts";
const SLIDING = "sliding-window.ts";
const RING = "group-ring.ts";
const FIXED = "fixed-window.ts";
const PLACES = "concurrency.ts";

/** Mistakes in corrections that act on what one take recorded. */
export const RECEIPT_MUTANTS: readonly Mutant[] = [
  {
    name: "a receipt gives the newest units back",
    file: SLIDING,
    find: "const group = this.#ring.firstLeavingFrom(cells, at, untilUs);",
    replace: "const group = groups - 1;",
    why: "a late correction gives back units that leave later",
  },
  {
    name: "a receipt of units that are gone gives others back",
    file: SLIDING,
    find: "if (group === groups || !this.#mayHave(cells, at, group, untilUs - this.#windowUs)) return;",
    replace: "if (group === groups) return;",
    why: "the units are granted twice after the clock went back",
  },
  {
    name: "an emptied group keeps its place in the ring",
    file: RING,
    find: "const goes = group < groups - 1 && units === this.unitsOf(cells, at, group);",
    replace: "const goes = units < 0;",
    why: "the ring runs full, and units leave late",
  },
  {
    name: "a receipt corrects another window",
    file: FIXED,
    find: "if (cells[at + OPENED]! + this.#windowUs === untilUs) this.refund(",
    replace: "this.refund(",
    why: "units of a window that is over are given back in the next one",
  },
  {
    name: "a receipt outlasts its units in a bucket",
    file: BUCKET,
    find: "if (now[0]! < untilUs) this.refund(",
    replace: "this.refund(",
    why: "units that have refilled are given back again",
  },
  {
    name: "a receipt frees a place of another moment",
    file: PLACES,
    find: " && cells[at + GROUP * group + UNTIL] === untilUs ? group : -1",
    replace: " ? group : -1",
    why: "settling a forgotten call frees the place of another",
  },
  {
    name: "a receipt renews places that are not there",
    file: PLACES,
    find: "group < 0 || cells[at + GROUP * group + COUNT]! < count",
    replace: "group < 0",
    why: "places are made from nothing",
  },
  {
    name: "a receipt frees a place that has freed itself",
    file: PLACES,
    find: "if (untilUs <= now[0]!) return;",
    replace: "",
    why: "expired places count as they are not freed",
  },
];
