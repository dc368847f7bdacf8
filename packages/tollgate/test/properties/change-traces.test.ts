import fc from "fast-check";
import { memoryStore } from "tollgate";
import type { SyncStore } from "tollgate/store";
import { tableStore } from "tollgate/table";
import { it } from "vitest";
import { twoEnds } from "../stores/shared/two-ends.ts";
import { crowdedTrace, traceWithBlocks } from "./change-arbitrary.ts";
import { playSteps } from "./run-scenario.ts";
import { runs } from "./runs.ts";
import type { Changes } from "./scenario.ts";
import { createVersions } from "./world.ts";

const START_US = 1_790_000_000_123_000;

/** With slots enough for the crowd, since the model has no overflow buckets. */
const STORES: readonly (readonly [name: string, createStores: (maxKeys: number) => readonly SyncStore[]])[] = [
  ["the memory store", () => [memoryStore()]],
  ["the table store", (maxKeys) => [tableStore({ maxKeys })]],
  ["two attachments of a shared store", (maxKeys) => twoEnds({ maxKeys, maxBytes: 2 ** 25 })],
];

function decidesAlike(changes: fc.Arbitrary<Changes>, createStores: () => readonly SyncStore[], numRuns: number): void {
  const property = fc.property(changes, ({ versions, steps }) => {
    const stores = createStores();
    playSteps(
      createVersions(START_US, versions, () => stores),
      steps,
    );
  });
  fc.assert(property, { numRuns });
}

it.each(STORES)("random calls through versions of a limiter over %s decide as the model does", (_name, create) => {
  decidesAlike(traceWithBlocks, () => create(2), runs(25));
});

it.each(STORES)("random calls under fifty numbers of one name over %s decide as the model does", (_name, create) => {
  decidesAlike(crowdedTrace, () => create(1_000), runs(3));
});
