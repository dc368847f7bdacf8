import type { Flaw } from "./flaw.ts";
import { PlaceSchedule } from "./place-schedule.ts";
import { Schedule } from "./schedule.ts";
import { SimRedis } from "./sim-redis.ts";

/** Schedules that share the server's time. */
const AT_ONCE = 16;

/** A random fleet and what happens to it. */
interface SimSchedule {
  /** Runs it. @returns the first excess in words. */
  run(): Promise<string | undefined>;
  /** Units or places that calls got, and those of them that came from leases. */
  readonly admitted: number;
  readonly spent: number;
}

type Fleet = new (seed: number, redis: SimRedis, flaw?: Flaw, threads?: boolean) => SimSchedule;

/** What a number of schedules came to. */
export interface Simulated {
  /** The first excess, with its seed; `undefined` if no schedule has one. */
  readonly excess: string | undefined;
  /** Units that were admitted, and those of them that a lease covered. */
  readonly admitted: number;
  readonly leased: number;
}

/** Runs the schedules of so many seeds, until one admits too much. With `threads`, nodes have several. */
type Run = (port: number, firstSeed: number, count: number, flaw?: Flaw, threads?: boolean) => Promise<Simulated>;

export const runSchedules: Run = (...chosen) => runAll(Schedule, ...chosen);

/** Works like `runSchedules`, for fleets that share places. */
export const runPlaceSchedules: Run = (...chosen) => runAll(PlaceSchedule, ...chosen);

async function runAll(
  Fleet: Fleet,
  port: number,
  firstSeed: number,
  count: number,
  flaw?: Flaw,
  threads = false,
): Promise<Simulated> {
  const redis = await SimRedis.connect(port, flaw);
  let [excess, admitted, leased]: [string | undefined, number, number] = [undefined, 0, 0];
  const after = firstSeed + count;
  for (let first = firstSeed; first < after && excess === undefined; first += AT_ONCE) {
    const seeds = Array.from({ length: Math.min(AT_ONCE, after - first) }, (_, i) => first + i);
    const schedules = seeds.map((seed) => new Fleet(seed, redis, flaw, threads));
    const excesses = await Promise.all(schedules.map((schedule) => schedule.run()));
    for (const schedule of schedules) {
      admitted += schedule.admitted;
      leased += schedule.spent;
    }
    const at = excesses.findIndex((found) => found !== undefined);
    if (at >= 0) excess = `seed ${seeds[at]}: ${excesses[at]}`;
  }
  redis.close();
  return { excess, admitted, leased };
}
