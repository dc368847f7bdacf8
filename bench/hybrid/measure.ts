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
  /** Units beyond the capacity and what refills, in the worst window of time. */
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
    excess: load.keys === 1 ? excessOf(nodes, load.capacity) : 0,
    fairness: Math.min(...totals) / Math.max(...totals),
    p50Us: median(nodes.map((node) => node.p50Us)),
    p99Us: Math.max(...nodes.map((node) => node.p99Us)),
    pictures: nodes.map(({ slots }) => pictureOf(slots, seconds)),
  };
}

/** A window's slots are counted whole, so a slot's units may have refilled before it: two slots are allowed for. */
function excessOf(nodes: readonly NodeResult[], capacity: number): number {
  const perSlot = (capacity * SLOT_MS) / 1_000;
  let [used, worst] = [0, 0];
  const last = Math.max(...nodes.map(({ slots }) => slots.length));
  for (let slot = 0; slot < last; slot += 1) {
    used = Math.max(0, used - perSlot);
    for (const { slots } of nodes) used += slots[slot] ?? 0;
    worst = Math.max(worst, used - capacity - 2 * perSlot);
  }
  return Math.max(0, Math.round(worst));
}

function pictureOf(slots: readonly number[], seconds: number): number[] {
  return Array.from({ length: (seconds * 1_000) / SLOT_MS / SLOTS_OF_PICTURE }, (_, i) => {
    return slots.slice(i * SLOTS_OF_PICTURE, (i + 1) * SLOTS_OF_PICTURE).reduce((sum, units) => sum + units, 0);
  });
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
