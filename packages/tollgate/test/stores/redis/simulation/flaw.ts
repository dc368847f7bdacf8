/** A bug to plant, which the simulation has to find. `tools/mutants` has bugs of the library's own code. */
export interface Flaw {
  readonly name: string;
  /** What the bug replaces in the script. */
  readonly script?: readonly [from: string, to: string];
  /** How fast the clocks of nodes go, by which leases end. */
  readonly rate?: number;
}

const SCRIPT_FLAWS: readonly (readonly [name: string, from: string, to: string])[] = [
  ["a return is counted twice", "lease.sum, left = lease.sum - left, 0", "lease.sum = lease.sum - left"],
  ["leases do not lift the bucket", "if sum > 0 and kernel.lift then", "if false then"],
  ["a lease that ends does not lift it", "if kernel.refills and units > 0 then", "if false then"],
  ["a report may raise what is left", "left = min(left, known)", "left = left + 1"],
  ["the units of a lease are not taken", "limit.kernel.take(limit, counts[i], now_us, granted[i])", ""],
  [
    "a refund to a bucket is counted twice",
    "max(full - cost * limit.unit, now_ticks)",
    "max(full - 2 * cost * limit.unit, now_ticks)",
  ],
  [
    "a refund to a window is counted twice",
    "put(cells, 2, max(used - cost, 0))",
    "put(cells, 2, max(used - 2 * cost, 0))",
  ],
  [
    "a refund reaches the next window",
    "if get(cells, 1) == moment then give_back",
    "if now < get(cells, 1) then give_back",
  ],
  [
    "the denial of a second limit is charged to the first",
    "if not verb.takes or (verb.decides and not admitted) then",
    "if not verb.takes then",
  ],
  ["a window lasts a microsecond too long", "if get(cells, 1) <= now then", "if get(cells, 1) < now then"],
  ["a lease outlasts its window", "ends = min(ends, limit.kernel.window_end(limit, counts[i]))", ""],
  [
    "a correction forgets that the key was reset",
    "return state.born <= moment and not (forgotten and moment < forgotten[1])",
    "return true",
  ],
  [
    "a reset forgets one limit only",
    "state.entries[id] = nil\nmark_changed(state)",
    "if i == 1 then state.entries[id] = nil end\nmark_changed(state)",
  ],
  [
    "a reset forgets what nodes may still spend",
    "state.forgotten[id] = {",
    "state.leases = nil\nstate.forgotten[id] = {",
  ],
  ["a window starts anew when its limit changes", "put(cells, 2, get(theirs, 2))", "put(cells, 2, 0)"],
  [
    "all that a bucket has used is forgotten when its limit changes",
    "local used = max(0, get(theirs, 1) - ticks_at(from, now))",
    "local used = 0",
  ],
];

export const FLAWS: readonly Flaw[] = [
  { name: "a lease is spent long after its end", rate: 0.5 },
  { name: "clocks of nodes are a tenth too slow", rate: 0.9 },
  ...SCRIPT_FLAWS.map(([name, from, to]): Flaw => ({ name, script: [from, to] })),
];
