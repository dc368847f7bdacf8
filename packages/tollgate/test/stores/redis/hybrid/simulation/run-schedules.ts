import type { Flaw } from "./flaw.ts";
import { Schedule } from "./schedule.ts";
import { SimRedis } from "./sim-redis.ts";

/** Schedules that share the server's time. */
const AT_ONCE = 16;

/** What a number of schedules came to. */
export interface Simulated {
  /** The first excess, with its seed; `undefined` if no schedule has one. */
  readonly excess: string | undefined;
  /** Units that were admitted, and those of them that a lease covered. */
  readonly admitted: number;
  readonly leased: number;
}

/** Runs the schedules of so many seeds, until one admits too much. */
export async function runSchedules(port: number, firstSeed: number, count: number, flaw?: Flaw): Promise<Simulated> {
  const redis = await SimRedis.connect(port, flaw);
  let [excess, admitted, leased]: [string | undefined, number, number] = [undefined, 0, 0];
  const after = firstSeed + count;
  for (let first = firstSeed; first < after && excess === undefined; first += AT_ONCE) {
    const seeds = Array.from({ length: Math.min(AT_ONCE, after - first) }, (_, i) => first + i);
    const schedules = seeds.map((seed) => new Schedule(seed, redis, flaw));
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
