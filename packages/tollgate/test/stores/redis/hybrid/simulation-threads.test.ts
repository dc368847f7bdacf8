import { afterEach, describe, expect, it, vi } from "vitest";
import { LeasePlace } from "../../../../src/stores/hybrid/threads/lease-place.ts";
import { useRedis } from "../kit/use-redis.ts";
import { FLAWS } from "./simulation/flaw.ts";
import { runSchedules } from "./simulation/run-schedules.ts";

const started = useRedis();
afterEach(() => {
  vi.restoreAllMocks();
});

const EXCESS = /^seed \d+: \d+\.\d+ units in a window/;
const SCHEDULES = 300;

describe("a simulated fleet of processes whose threads hold leases together", () => {
  it("admits no more than the capacity and what refills, in any window of 300 schedules", async () => {
    const { excess, admitted, leased } = await runSchedules(started.redis.server.port, 5_001, 300, undefined, true);
    expect(excess).toBeUndefined();
    expect(leased / admitted).toBeGreaterThan(0.4);
  });

  it.each(FLAWS.slice(0, 3))("finds a planted bug: $name", async (flaw) => {
    expect((await runSchedules(started.redis.server.port, 1, SCHEDULES, flaw, true)).excess).toMatch(EXCESS);
  });

  it("finds a planted bug: what is returned stays with the other threads", async () => {
    const flaw = { name: "stays" };
    vi.spyOn(LeasePlace.prototype, "close").mockImplementation(function (this: LeasePlace, tag) {
      return [this.left(0, tag)];
    });
    expect((await runSchedules(started.redis.server.port, 1, SCHEDULES, flaw, true)).excess).toMatch(EXCESS);
  });

  it("finds a planted bug: a thread spends without others seeing it", async () => {
    const flaw = { name: "unseen" };
    const { spend } = LeasePlace.prototype;
    let spent = 0;
    vi.spyOn(LeasePlace.prototype, "spend").mockImplementation(function (this: LeasePlace, costs, tag) {
      spent += 1;
      return spent % 3 === 0 ? this.left(0, tag) >= costs[0]! : spend.call(this, costs, tag);
    });
    expect((await runSchedules(started.redis.server.port, 1, SCHEDULES, flaw, true)).excess).toMatch(EXCESS);
  });
});
