import { combine, createLimiter, type Limit, perMinute } from "tollgate";
import { expect, it } from "vitest";
import { heapInUse } from "../stores/memory/memory-in-use.ts";

/** A list of some of 15 limits for each number. */
function listOf(number: number, limits: readonly Limit[]): readonly Limit[] {
  return limits.filter((_, bit) => (number & (2 ** bit)) > 0);
}

function limiterOf(limits: (call: number) => readonly Limit[]) {
  return createLimiter({ key: () => "all", limits });
}

const newLimits = () => Array.from({ length: 15 }, (_, i) => perMinute(10 + i, { name: `limit ${i}` }));
const keptLimits = newLimits();
const alone = Array.from({ length: 300 }, (_, i) => [perMinute(1 + i, { name: `limit ${i}` })]);

const ofNew = limiterOf((call) => listOf(call, newLimits()));
const ofKept = limiterOf((call) => listOf(call, keptLimits));
const ofTwo = combine(
  limiterOf((call) => alone[call % 300]!),
  limiterOf((call) => alone[Math.floor(call / 300) % 300]!),
);

it.each<[string, (call: number) => boolean]>([
  ["limits that are made anew", (call) => ofNew.allow(call)],
  ["limits that are kept", (call) => ofKept.allow(call)],
  ["two limiters", (call) => ofTwo.allow(call)],
])("lists of %s take a bounded memory, however many there are", (_which, allow) => {
  const inUseAfter = (first: number, until: number): number => {
    for (let call = first; call < until; call += 1) allow(call);
    return heapInUse();
  };
  const before = inUseAfter(1, 6_000);
  expect(inUseAfter(6_000, 30_000) - before).toBeLessThan(2 ** 24);
});
