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
  {
    name: "the units of a lease are not taken",
    script: [["limit.kernel.take(limit, counts[i], now_us, granted[i])", ""]],
  },
];
