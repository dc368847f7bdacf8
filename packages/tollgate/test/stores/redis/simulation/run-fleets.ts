import { Random } from "../script/kit/random.ts";
import type { Flaw } from "./flaw.ts";
import { Fleet } from "./fleet.ts";
import { SimServer } from "./sim-server.ts";
import { Timeline } from "./timeline.ts";

/** Fleets that share a timeline: while the server decides for one of them, others go on. */
const AT_ONCE = 32;

/** What a number of fleets came to. */
export interface Simulated {
  /** The first contradiction, with its seed; `undefined` if no fleet has one. */
  readonly contradiction: string | undefined;
  /** Units that were admitted, and those of them that a lease covered. */
  readonly admitted: number;
  readonly leased: number;
}

/** Runs the fleets of so many seeds, until one contradicts the model. */
export async function runFleets(port: number, firstSeed: number, count: number, flaw?: Flaw): Promise<Simulated> {
  const server = await SimServer.connect(port, flaw);
  let [contradiction, admitted, leased]: [string | undefined, number, number] = [undefined, 0, 0];
  const after = firstSeed + count;
  for (let first = firstSeed; first < after && contradiction === undefined; first += AT_ONCE) {
    const seeds = Array.from({ length: Math.min(AT_ONCE, after - first) }, (_, i) => first + i);
    const fleets: Fleet[] = [];
    await Timeline.run(new Random(first), (timeline) => {
      fleets.push(...seeds.map((seed) => new Fleet(seed, timeline, server, flaw)));
      for (const fleet of fleets) fleet.plan();
      return Math.max(...fleets.map(({ lastUs }) => lastUs));
    });
    for (const [i, fleet] of fleets.entries()) {
      admitted += fleet.units.admitted;
      leased += fleet.units.leased;
      const found = fleet.contradiction;
      if (found !== undefined) contradiction ??= `seed ${seeds[i]}: ${found}`;
    }
  }
  await server.close();
  return { contradiction, admitted, leased };
}
