import { Redis } from "ioredis";
import { runChild } from "../harness/child-process.ts";
import type { Figures } from "../harness/figures.ts";
import { callsOf, meanUsOf } from "../redis/server.ts";
import { type Load, NODES } from "./loads.ts";
import type { NodeOrder, NodeResult, Strategy } from "./node.ts";

/** The processes have connected by then. */
const START_MS = 5_000;

/** Runs a load on the processes of a fleet that share one Redis. */
export async function measureFleet(port: number, load: Load, strategy: Strategy, seconds: number): Promise<Figures> {
  const client = new Redis(port, "127.0.0.1");
  await client.flushall("SYNC");
  await client.config("RESETSTAT");
  const startAtMs = Date.now() + START_MS;
  const nodes = await Promise.all(
    Array.from({ length: NODES }, (_, node) => {
      const order: NodeOrder = { strategy, port, node, load, startAtMs, seconds };
      return runChild<NodeResult>("hybrid node", order);
    }),
  );
  const stats = await client.info("commandstats");
  const calls = callsOf(stats, "evalsha");
  client.disconnect();
  const sumOf = (figure: keyof NodeResult) => nodes.reduce((sum, node) => sum + node[figure], 0);
  return {
    /** Script calls of the server for a thousand decisions. */
    calls: (calls * 1_000) / sumOf("asked"),
    admitted: sumOf("admitted"),
    localPart: sumOf("decidedLocally") / sumOf("asked"),
    p50Us: nodes.map((node) => node.p50Us).toSorted((one, other) => one - other)[NODES / 2]!,
    p99Us: Math.max(...nodes.map((node) => node.p99Us)),
    scriptUs: meanUsOf(stats, "evalsha"),
  };
}
