import { Redis } from "ioredis";
import { runChild } from "../harness/child-process.ts";
import { type Load, NODES } from "./loads.ts";
import { type NodeOrder, type NodeResult, SLOT_MS, type Strategy } from "./node.ts";

/** What a fleet did under a load. */
export interface Measured {
  readonly load: Load;
  readonly strategy: Strategy;
  readonly asked: number;
  readonly admitted: number;
  /** Script calls of the server. */
  readonly calls: number;
  readonly localPart: number;
  /** Units of a key beyond its capacity and what refills, in the worst window of time of the worst key. */
  readonly excess: number;
  /** What the node that got least got, by what the one that got most did. */
  readonly fairness: number;
  readonly p50Us: number;
  readonly p99Us: number;
  /** Units admitted by each node in each tenth of a second. */
  readonly pictures: readonly (readonly number[])[];
}

/** Processes have connected by then. On a busy machine they get longer with each try. */
const START_MS = 8_000;
const SLOTS_OF_PICTURE = 10;
const MOST_TRIES = 5;

/** Repeated if the machine was too busy to start the processes in time. */
export async function measureFleet(port: number, load: Load, strategy: Strategy, seconds: number): Promise<Measured> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await measureOnce(port, load, strategy, seconds, START_MS * tries);
    } catch (error) {
      if (tries === MOST_TRIES) throw error;
    }
  }
}

async function measureOnce(
  port: number,
  load: Load,
  strategy: Strategy,
  seconds: number,
  startMs: number,
): Promise<Measured> {
  const client = new Redis(port, "127.0.0.1");
  await client.flushall();
  await client.config("RESETSTAT");
  const startAtMs = Date.now() + startMs;
  const orders = Array.from({ length: NODES }, (_, node): NodeOrder => {
    return { strategy, port, node, load, startAtMs, seconds };
  });
  const options = { flags: [], timeoutMs: (seconds + 30) * 1_000 + startMs };
  const running = Promise.all(orders.map((order) => runChild<NodeResult>("hybrid", order, options)));
  const measured = running.then(async (nodes) => ({ nodes, stats: await client.info("commandstats") }));
  const { nodes, stats } = await measured.finally(() => client.disconnect());
  const calls = Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0);
  const totals = nodes.map(({ slots }) => slots.reduce((sum, units) => sum + units, 0));
  const asked = nodes.reduce((sum, node) => sum + node.asked, 0);
  return {
    load,
    strategy,
    asked,
    admitted: totals.reduce((sum, units) => sum + units, 0),
    calls,
    localPart: nodes.reduce((sum, { decidedLocally }) => sum + decidedLocally, 0) / asked,
    excess: excessOf(nodes, load),
    fairness: Math.min(...totals) / Math.max(...totals),
    p50Us: median(nodes.map((node) => node.p50Us)),
    p99Us: Math.max(...nodes.map((node) => node.p99Us)),
    pictures: nodes.map(({ slots }) => pictureOf(slots, seconds)),
  };
}

function excessOf(nodes: readonly NodeResult[], { keys, capacity }: Load): number {
  let worst = 0;
  for (let key = 0; key < keys; key += 1) {
    const slots = nodes.flatMap((node) => node.keys[key]!);
    worst = Math.max(worst, excessOfKey(slots, capacity));
  }
  return Math.round(worst);
}

/**
 * `slots` has the slot of each unit. A window's slots are counted whole, so a slot's units may have refilled before it:
 * two slots are allowed for.
 */
function excessOfKey(slots: readonly number[], capacity: number): number {
  if (slots.length <= capacity) return 0;
  const perSlot = (capacity * SLOT_MS) / 1_000;
  let [used, last, worst] = [0, 0, 0];
  for (const slot of [...slots].sort((one, other) => one - other)) {
    used = Math.max(0, used - perSlot * (slot - last)) + 1;
    last = slot;
    worst = Math.max(worst, used - capacity - 2 * perSlot);
  }
  return worst;
}

function pictureOf(slots: readonly number[], seconds: number): number[] {
  return Array.from({ length: (seconds * 1_000) / SLOT_MS / SLOTS_OF_PICTURE }, (_, i) => {
    return slots.slice(i * SLOTS_OF_PICTURE, (i + 1) * SLOTS_OF_PICTURE).reduce((sum, units) => sum + units, 0);
  });
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
