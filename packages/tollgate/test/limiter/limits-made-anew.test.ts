import { createLimiter, fixedWindow, perMinute } from "tollgate";
import { manualClock } from "tollgate/testing";
import { expect, it, vi } from "vitest";
import { EVERY_STORE } from "./every-store.ts";
import { START_MS } from "./set-up.ts";

it.each(EVERY_STORE)(
  "limits that are made anew for each call are found again by their numbers, over %s",
  async (_name, createStore) => {
    const store = createStore();
    const opened = vi.spyOn(store, "open");
    const limits = () => [perMinute(10), fixedWindow({ limit: 100, window: "1d", unit: "tokens" })];
    const limiter = createLimiter({
      name: "api",
      key: (key: string) => key,
      limits,
      clock: manualClock(START_MS),
      store,
    });
    const decisions: boolean[] = [];
    for (let call = 0; call < 300; call += 1) decisions.push(await limiter.allow("ann"));
    expect(decisions.filter(Boolean)).toHaveLength(10);
    expect((await limiter.explain("ann")).map(({ used }) => used)).toEqual([10, 0]);
    // One space for each limit.
    expect(opened).toHaveBeenCalledTimes(2);
  },
);
