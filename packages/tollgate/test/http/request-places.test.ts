import { type AsyncLimiter, concurrency, createLimiter } from "tollgate";
import { manualClock } from "tollgate/testing";
import { expect, it } from "vitest";
import type { TakingCalls } from "../../src/http/limiter-shape.ts";
import { placesOf } from "../../src/http/request-places.ts";
import type { CountedCall } from "../../src/limiter/reserving/counted-call.ts";
import { AsyncTwin } from "../testing/async-twin.ts";

const TTL_MS = 30_000;
/** Renewals and questions are answered in their order. What follows an answer takes some turns. */
const TURNS = 5;

/** A call of which adapters keep the places. */
function takeOf(limiter: AsyncLimiter): CountedCall | Promise<CountedCall> {
  return (limiter as unknown as TakingCalls<string>).take("ann");
}

async function usedBy(limiter: AsyncLimiter): Promise<number | undefined> {
  for (let turn = 0; turn < TURNS; turn += 1) await limiter.explain("ann");
  return (await limiter.explain("ann"))[0]?.used;
}

it("a place is renewed again after an outage of the store, which is logged once", async () => {
  const clock = manualClock(1_790_000_000_000);
  const store = new AsyncTwin();
  const limiter = createLimiter({ limits: [concurrency({ max: 1, ttl: TTL_MS })], clock, store });
  const logged: unknown[] = [];
  const free = placesOf(await takeOf(limiter), { clock, logError: (error) => logged.push(error) })!.hold();
  const used = () => usedBy(limiter);
  const third = async () => {
    clock.advance(TTL_MS / 3);
    await used();
  };

  store.outage = { cause: "down", policy: "deny" };
  await third();
  await third();
  expect(logged.map(String)).toEqual([expect.stringContaining("was not renewed")]);
  store.outage = undefined;
  // The next renewal is a moment before the place would free itself.
  clock.advance(TTL_MS / 3 - 1);
  expect(await used()).toBe(1);
  free();
  expect([await used(), logged.length]).toEqual([0, 1]);
});

it("places of several limits are renewed in time for the shortest ttl", async () => {
  const clock = manualClock(1_790_000_000_000);
  const limits = [
    concurrency({ name: "short", max: 1, ttl: TTL_MS }),
    concurrency({ name: "long", max: 1, ttl: 10 * TTL_MS }),
  ];
  const limiter = createLimiter({ limits, clock, store: new AsyncTwin() });
  const free = placesOf(await takeOf(limiter), { clock, logError: () => {} })!.hold();
  const used = async () => [await usedBy(limiter), ...(await limiter.explain("ann")).map((status) => status.used)];
  for (let third = 0; third < 6; third += 1) {
    clock.advance(TTL_MS / 3);
    expect(await used()).toEqual([1, 1, 1]);
  }
  free();
  expect(await used()).toEqual([0, 0, 0]);
});
