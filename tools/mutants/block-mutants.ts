import type { Mutant } from "./mutant.ts";

const BLOCKING = "blocking.ts";
const BLOCKS = "../core/blocks.ts";

export const BLOCK_MUTANTS: readonly Mutant[] = [
  {
    name: "a block denies for a microsecond longer",
    file: BLOCKS,
    find: "return block !== undefined && nowUs < block.untilUs;",
    replace: "return block !== undefined && nowUs <= block.untilUs;",
    why: "a client that waits for its hint is denied",
  },
  {
    name: "a blocked call takes",
    file: BLOCKING,
    find: 'traits.takes === "always" ? verb : "explain"',
    replace: "verb",
    why: "a denied call counts",
  },
  {
    name: "a peek begins a block",
    file: BLOCKING,
    find: 'if (traits.changes && !(report.admitted && traits.takes !== "always"))',
    replace: 'if (!(report.admitted && traits.takes !== "always"))',
    why: "looking blocks the key",
  },
  {
    name: "a peek extends a block",
    file: BLOCKING,
    find: "(traits.changes ? this.#extend(request, nowUs, now) : undefined) ?? blocked",
    replace: "this.#extend(request, nowUs, now) ?? blocked",
    why: "looking blocks the key for longer",
  },
  {
    name: "a denial by a block begins the next offence",
    file: BLOCKING,
    find: "isInForce(block, nowUs) ? extendedBy(limits.get(i) ?? [], block, nowUs) : block;",
    replace: "blockAfter(limits.get(i) ?? [], block, nowUs);",
    why: "further denials lengthen a block",
  },
  {
    name: "a cost above the capacity begins a block",
    file: BLOCKING,
    find: "!report.conforms[at + i]! && costs[i]! <= capacity;",
    replace: "!report.conforms[at + i]!;",
    why: "a call that never passes locks its client out",
  },
  {
    name: "a charge of the last unit begins no block",
    file: BLOCKING,
    find: "report.used[at + i]! >= capacity",
    replace: "report.used[at + i]! > capacity",
    why: "one failed login more than the limit",
  },
  {
    name: "a charge of nothing begins a block",
    file: BLOCKING,
    find: "blockFor === undefined || costs[i] === 0 ||",
    replace: "blockFor === undefined ||",
    why: "a call that costs nothing locks its client out",
  },
  {
    name: "the first offence takes the second duration",
    file: BLOCKS,
    find: "durationsMs[Math.min(offences, durationsMs.length - 1)]!",
    replace: "durationsMs[Math.min(offences + 1, durationsMs.length - 1)]!",
    why: "the ladder begins too high",
  },
  {
    name: "offences are forgotten when a block ends",
    file: BLOCKS,
    find: "nowUs + inMicroseconds(durationMs) + inMicroseconds(forgetAfterMs)",
    replace: "nowUs + inMicroseconds(durationMs)",
    why: "the ladder is never climbed",
  },
  {
    name: "extending makes a block end earlier",
    file: BLOCKS,
    find: "    untilUs = Math.max(untilUs, nowUs + inMicroseconds(durationMs));\n  }\n  if (untilUs === block.untilUs) return block;",
    replace: "    untilUs = nowUs + inMicroseconds(durationMs);\n  }\n  if (untilUs === block.untilUs) return block;",
    why: "calling shortens a longer block",
  },
  {
    name: "only the block of the first limiter denies",
    file: BLOCKING,
    find: "for (let i = 0; i < this.#blocks.length; i += 1) {\n      if (this.#some[i]![0] === 0) continue;",
    replace: "for (let i = 0; i < 1; i += 1) {\n      if (this.#some[i]![0] === 0) continue;",
    why: "a combination admits a blocked key",
  },
  {
    name: "a block that is over lets its offences go",
    file: BLOCKS,
    find: "return nowUs >= untilUs && nowUs >= forgetAtUs;",
    replace: "return nowUs >= untilUs;",
    why: "the ladder is never climbed",
  },
];
