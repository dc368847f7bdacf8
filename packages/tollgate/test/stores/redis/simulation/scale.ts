import { Random } from "../script/kit/random.ts";
import { NOW_US } from "../script/kit/script-call.ts";
import { SimNetwork } from "./sim-network.ts";
import { SimNode } from "./sim-node.ts";
import type { SimServer } from "./sim-server.ts";
import { Timeline } from "./timeline.ts";
import { CALM } from "./weather.ts";

/** Nodes that share one bucket, under an even load. */
export interface ScaleLoad {
  readonly nodes: number;
  readonly capacity: number;
  /** Calls of the fleet, as a multiple of the rate. */
  readonly factor: number;
  readonly refills: number;
}

/** What a fleet did after a start that does not count. */
export interface ScaleResult {
  /** Requests to the server in the time in which the bucket refills. */
  readonly requests: number;
  /** Admitted, of what the limit and the load allow. */
  readonly admittedPart: number;
}

const REFILL_US = 1_000_000;
const TICK_US = 1_000;
const WARM_UP_US = 4 * REFILL_US;

/** A large fleet of which nothing fails. */
export async function runScale(server: SimServer, load: ScaleLoad): Promise<ScaleResult> {
  const { nodes: count, capacity, factor, refills } = load;
  const random = new Random(1);
  const numbers = { capacity, refill: capacity, perUs: REFILL_US, initial: "full", idleTtlUs: undefined } as const;
  const list = [{ kind: "token-bucket", unit: "requests", mode: "enforce", ...numbers }] as const;
  const options = { name: `scale-${count}-${factor}`, kind: "hybrid", drift: 0.005, rate: 1 } as const;
  let [asked, admitted, due, firstOrder] = [0, 0, 0, 0];
  const admit = (allowed: boolean): void => {
    if (allowed) admitted += 1;
  };
  await Timeline.run(random, (timeline) => {
    const network = new SimNetwork(timeline, server, CALM, REFILL_US);
    const nodes = Array.from({ length: count }, () => new SimNode(timeline, network, options, list));
    const tick = (): void => {
      for (due += (capacity * factor * TICK_US) / REFILL_US; due >= 1; due -= 1) {
        asked += 1;
        const node = random.of(nodes);
        node.run(() => void node.limiter.allow("ann").then(admit));
      }
      timeline.add(timeline.nowUs + TICK_US, tick);
    };
    timeline.add(NOW_US, tick);
    timeline.add(NOW_US + WARM_UP_US, () => {
      [asked, admitted, firstOrder] = [0, 0, server.order];
    });
    return NOW_US + WARM_UP_US + refills * REFILL_US;
  });
  return {
    requests: (server.order - firstOrder) / refills,
    admittedPart: admitted / Math.min(asked, capacity * refills),
  };
}
