import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { type Connection, openConnection } from "../support/connection.ts";
import { startTestService } from "../support/test-service.ts";

const CAPACITY = 1_000_000;
const CLIENTS = 8;
const GET = "GET /ping HTTP/1.1\r\nHost: service\r\n\r\n";

/** What was left after each decision that a client was told: each one takes 1, and the clock stands still. */
function remainingIn(connections: readonly Connection[]): Set<number> {
  const texts = connections.flatMap(({ received }) => [...received.matchAll(/^ratelimit: .*;r=(\d+)/gim)]);
  return new Set(texts.map(([, remaining]) => Number(remaining)));
}

describe("closing the service under load", () => {
  it.each([1, 16, 200])("loses no decision of clients that send %d requests at once", async (atOnce) => {
    const service = await startTestService({ capacity: CAPACITY, clock: manualClock(), graceMs: 10_000 });
    const connections = await Promise.all(Array.from({ length: CLIENTS }, () => openConnection(service.url)));
    for (const connection of connections) {
      connection.send(GET.repeat(atOnce));
      // A client that sends more with each answer is always in the middle of something.
      connection.socket.on(
        "data",
        () => connection.socket.writable && connection.send(GET.repeat(Math.min(atOnce, 8))),
      );
    }
    await Promise.all(connections.map((connection) => connection.receives(/pong/)));
    await service.close();
    await Promise.all(connections.map(({ closed }) => closed));

    const told = remainingIn(connections);
    expect(told.size).toBeGreaterThan(CLIENTS);
    // The decisions that were made took all units down to the least that a client was told.
    expect(CAPACITY - Math.min(...told)).toBe(told.size);
    for (const { received } of connections) expect(received).toMatch(/pong$/);
    expect(service.log).toEqual([]);
  });
});
