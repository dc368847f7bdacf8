import type { LeaseGrant } from "../../../../../src/stores/redis/script/lease.ts";

/** A bug to plant, which the simulation has to find. */
export interface Flaw {
  readonly name: string;
  /** What the bug replaces in the script. */
  readonly script?: readonly (readonly [from: string, to: string])[];
  /** What a node makes of a grant. */
  readonly grant?: (grant: LeaseGrant) => LeaseGrant;
  /** The node notes each answer twice, or takes a lost answer for a grant of what it wanted. */
  readonly answers?: "twice" | "assumed";
}

export const FLAWS: readonly Flaw[] = [
  { name: "a lease is noted twice", answers: "twice" },
  { name: "a renewal whose answer was lost counts as granted", answers: "assumed" },
  { name: "a lease is spent after its end", grant: (grant) => ({ ...grant, lastsUs: grant.lastsUs * 2 }) },
  { name: "a margin of a tenth is added", grant: (grant) => ({ ...grant, lastsUs: grant.lastsUs * 1.1 }) },
  {
    name: "a return is counted twice",
    script: [["lease.sum, left = lease.sum - left, 0", "lease.sum = lease.sum - left"]],
  },
  { name: "leases do not lift the bucket", script: [["if sum > 0 and kernel.lift then", "if false then"]] },
  { name: "a lease that ends does not lift it", script: [["if kernel.refills and units > 0 then", "if false then"]] },
  { name: "a report may raise what is left", script: [["left = min(left, known)", "left = left + 1"]] },
  { name: "the units of a lease are not taken", script: [["limit.kernel.take(limit, cells, now, granted[i])", ""]] },
];

/** Bugs of places. */
export const PLACE_FLAWS: readonly Flaw[] = [
  { name: "a lease is noted twice", answers: "twice" },
  { name: "a renewal whose answer was lost counts as granted", answers: "assumed" },
  { name: "places are lent after the lease's end", grant: (grant) => ({ ...grant, lastsUs: grant.lastsUs * 3 }) },
  {
    name: "a lease that the script does not know is extended",
    grant: (grant) => ({ ...grant, areKnown: grant.areKnown.map(() => true) }),
    script: [
      ["return kept == left", "return false"],
      ["if its.extends then", "if false then"],
    ],
  },
  {
    name: "places count until the lease's end only",
    script: [
      ["its_ends = ends + limit.ttl", "its_ends = ends"],
      ["max(ends, now + ttl + limit.ttl)", "max(ends, now + ttl)"],
    ],
  },
  {
    name: "the places of a lease are not taken",
    script: [["now, units, its_ends + skew)", "now, 0, its_ends + skew)"]],
  },
  {
    name: "a report frees too many places",
    script: [
      ["take_back(limit, cells, its_ends + skew, units)", "take_back(limit, cells, its_ends + skew, units + 1)"],
    ],
  },
  { name: "an extension is not noted", script: [["if its.extends then", "if false then"]] },
];
