import { Redis } from "ioredis";
import { runChild } from "../harness/child-process.ts";
import type { Figures } from "../harness/figures.ts";
import { callsOf, mainThreadUs } from "../redis/server.ts";
import { type Load, NODES } from "./loads.ts";
import type { NodeOrder, NodeResult, Strategy } from "./node.ts";

/** The processes have connected by then. */
const START_MS = 5_000;

/** Runs a load on the processes of a fleet that share one Redis. */
export async function measureFleet(port: number, load: Load, strategy: Strategy, seconds: number): Promise<Figures> {
  const client = new Redis(port, "127.0.0.1");
  await client.flushall("SYNC");
  await client.config("RESETSTAT");
  const beforeUs = mainThreadUs(await client.info("cpu"));
  const startAtMs = Date.now() + START_MS;
  const nodes = await Promise.all(
    Array.from({ length: NODES }, (_, node) => {
      const order: NodeOrder = { strategy, port, node, load, startAtMs, seconds };
      return runChild<NodeResult>("hybrid node", order);
    }),
  );
  const calls = callsOf(await client.info("commandstats"), "evalsha");
  const usedUs = mainThreadUs(await client.info("cpu")) - beforeUs;
  client.disconnect();
  const sumOf = (figure: keyof NodeResult) => nodes.reduce((sum, node) => sum + node[figure], 0);
  return {
    /** Script calls of the server for a thousand decisions. */
    calls: (calls * 1_000) / sumOf("asked"),
    admitted: sumOf("admitted"),
    localPart: sumOf("decidedLocally") / sumOf("asked"),
    p50Us: nodes.map((node) => node.p50Us).toSorted((one, other) => one - other)[NODES / 2]!,
    p99Us: Math.max(...nodes.map((node) => node.p99Us)),
    /** Processor time of the server for a script call, with the reading and writing around it. */
    scriptUs: usedUs / calls,
  };
}
