import { afterAll, describe, expect, it } from "vitest";
import { startServing } from "../../../server/test/support/command-process.ts";
import { ofFile } from "../of-file.ts";
import { startRedis } from "../stores/redis/servers/start-redis.ts";
import { Child } from "./kit/child.ts";
import { LIMIT } from "./kit/flood.ts";
import type { ServerOrders, ServerStarted } from "./kit/flood-server.ts";
import type { FloodOrders } from "./kit/flooder.ts";
import type { GuestFindings, GuestOrders } from "./kit/guest.ts";
import { GUEST_PATH } from "./kit/keys.ts";
import { FLOOD_SERVER } from "./kit/run-flood.ts";
import { type Findings, sumOf } from "./kit/tally.ts";

interface Shape {
  readonly flood: string;
  readonly connections: number;
  /** The requests of each connection, of which `burst` are sent without waiting for an answer. */
  readonly requests: number;
  readonly burst: number;
}

const SHAPES: readonly Shape[] = [
  { flood: "60,000 pipelined by one connection", connections: 1, requests: 60_000, burst: 60_000 },
  { flood: "200 pipelined by each of 200 connections", connections: 200, requests: 200, burst: 200 },
];
const CALM_MS = 800;
/** It is above the rate of a second client and below that of a flood. */
const LIMIT_OF_SERVICE = ["--capacity", "2000", "--refill-per-second", "1000"];
/** Counts, because times depend on what else the machine does: how often the second client is answered meanwhile. */
const LEAST_ANSWERS = 5;
/** The service answers connections in turn, about 200 times here. A client may come too late for some turns. */
const LEAST_ANSWERS_OF_SERVICE = 100;

interface Seen {
  readonly flooded: GuestFindings;
  readonly flood: Findings;
}

const redis = await ofFile(startRedis());
const flooder = new Child(new URL("kit/flooder.ts", import.meta.url));
afterAll(() => flooder[Symbol.asyncDispose]());

/** Runs a second client during a flood. */
async function floodBeside(guestOrders: GuestOrders, shape: Shape): Promise<Seen> {
  const { port } = guestOrders;
  const { connections, requests, burst } = shape;
  await using guest = new Child(new URL("kit/guest.ts", import.meta.url), guestOrders);
  await guest.receive();
  // The engine of the server compiles its hot code meanwhile.
  await new Promise((resolve) => setTimeout(resolve, CALM_MS));
  await guest.request({ ask: "findings" });
  const orders: FloodOrders = { port, connections, requests, burst, keys: "one", notifyEvery: connections * requests };
  const flood = await flooder.request<Findings>(orders);
  return { flooded: await guest.request<GuestFindings>({ ask: "findings" }), flood };
}

function expectAdmitted({ flooded: { requests, refused, degraded } }: Seen, least = LEAST_ANSWERS): void {
  expect({ refused, degraded }).toEqual({ refused: 0, degraded: 0 });
  expect(requests).toBeGreaterThanOrEqual(least);
}

describe.each(SHAPES.map((shape) => [shape.flood, shape] as const))("a second client beside %s", (_flood, shape) => {
  it("is admitted by a server over Redis meanwhile", async () => {
    await redis.command("FLUSHALL");
    const serverOrders: ServerOrders = {
      ...{
        client: "ioredis",
        algorithm: "token bucket",
        policy: "allow",
        capacity: LIMIT,
        port: redis.port,
      },
      hasGuest: true,
    };
    await using server = new Child(FLOOD_SERVER);
    const { port } = await server.request<ServerStarted>(serverOrders);
    const seen = await floodBeside({ port, path: GUEST_PATH, header: "" }, shape);
    console.info("node, Redis", shape.flood, seen);
    const { admitted, degraded } = sumOf(seen.flood);
    expect({ admitted, degraded }).toEqual({ admitted: LIMIT, degraded: 0 });
    expectAdmitted(seen);
  });

  it("is admitted by the service meanwhile", async () => {
    const { url } = await startServing(LIMIT_OF_SERVICE);
    const port = Number(new URL(url).port);
    const seen = await floodBeside({ port, path: "/", header: "X-API-Key: guest" }, shape);
    console.info("the service", shape.flood, seen);
    expectAdmitted(seen, LEAST_ANSWERS_OF_SERVICE);
  });
});
