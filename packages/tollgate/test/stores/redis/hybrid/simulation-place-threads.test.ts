import { afterEach, describe, expect, it, vi } from "vitest";
import { SharedPlacesLease } from "../../../../src/stores/hybrid/threads/shared-places-lease.ts";
import { useRedis } from "../kit/use-redis.ts";
import { PLACE_FLAWS } from "./simulation/flaw.ts";
import { runPlaceSchedules } from "./simulation/run-schedules.ts";

const started = useRedis();
afterEach(() => {
  vi.restoreAllMocks();
});

const EXCESS = /^seed \d+: \d+ places in use of \d+/;
const SCHEDULES = 300;

describe("a simulated fleet of processes whose threads lend places together", () => {
  it("has no more places in use than there are, at any moment of 60 schedules", async () => {
    const { excess, admitted, leased } = await runPlaceSchedules(started.redis.server.port, 7_001, 60, undefined, true);
    expect(excess).toBeUndefined();
    expect(leased / admitted).toBeGreaterThan(0.4);
  });

  it.each(PLACE_FLAWS.slice(0, 2))("finds a planted bug: $name", async (flaw) => {
    expect((await runPlaceSchedules(started.redis.server.port, 1, SCHEDULES, flaw, true)).excess).toMatch(EXCESS);
  });

  it("finds a planted bug: a thread lends without others seeing it", async () => {
    const { lend } = SharedPlacesLease.prototype;
    let lent = 0;
    vi.spyOn(SharedPlacesLease.prototype, "lend").mockImplementation(function (this: SharedPlacesLease, count) {
      lent += 1;
      return lent % 3 === 0 ? this.free >= count : lend.call(this, count);
    });
    expect((await runPlaceSchedules(started.redis.server.port, 1, SCHEDULES, { name: "unseen" }, true)).excess).toMatch(
      EXCESS,
    );
  });

  it("finds a planted bug: places that were given up are lent", async () => {
    vi.spyOn(SharedPlacesLease.prototype, "size", "get").mockImplementation(function (this: SharedPlacesLease) {
      return Math.max(0, this.free - 1);
    });
    expect((await runPlaceSchedules(started.redis.server.port, 1, SCHEDULES, { name: "given" }, true)).excess).toMatch(
      EXCESS,
    );
  });
});
