import { once } from "node:events";
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLimiter, perSecond, tokenBucket } from "tollgate";
import { type HttpFacts, type LimitedHandler, type NodeHandler, rateLimit } from "tollgate/node";
import { manualClock } from "tollgate/testing";
import { afterEach, describe, expect, it } from "vitest";
import { AsyncTwin } from "../../testing/async-twin.ts";

const START_MS = 1_790_000_000_123;
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function serve(handler: LimitedHandler, at: { path: string } | { port: number } = { port: 0 }): Promise<string> {
  const server = createServer(handler);
  servers.push(server);
  await once(server.listen({ host: "127.0.0.1", ...at }), "listening");
  const address = server.address();
  return typeof address === "string" ? address : `http://127.0.0.1:${(address as AddressInfo).port}`;
}

const hello: NodeHandler = (_request, response) => void response.end("hello");
const perAddress = (request: HttpFacts) => request.remoteAddress ?? "unknown";
const setUp = (capacity: number) => {
  const clock = manualClock(START_MS);
  const limits = [tokenBucket({ capacity, refill: 1, per: "1s" })];
  return { clock, limiter: createLimiter({ key: perAddress, limits, clock }) };
};
const unanswered = (): never => {
  throw new Error("no answer");
};

describe("rateLimit in front of a node:http handler", () => {
  it.each([
    ["at once", () => unanswered()],
    ["later", async () => unanswered()],
  ])("answers 500 and logs the error if onDenied fails %s", async (_when, onDenied) => {
    const logged: unknown[] = [];
    const logError = (error: unknown) => void logged.push(error);
    const url = await serve(rateLimit({ limiter: setUp(1).limiter, onDenied, logError })(hello));
    await fetch(url);
    expect((await fetch(url)).status).toBe(500);
    expect(logged).toEqual([new Error("no answer")]);
  });

  it("cuts off a response that onDenied began before it failed", async () => {
    const onDenied = (_request: IncomingMessage, response: ServerResponse) => {
      response.write("half ");
      return unanswered();
    };
    const url = await serve(rateLimit({ limiter: setUp(1).limiter, onDenied, logError: () => {} })(hello));
    await fetch(url);
    await expect(fetch(url).then((answer) => answer.text())).rejects.toThrow();
  });

  it("counts requests over a unix socket without an address", async () => {
    const path = await serve(rateLimit({ limiter: setUp(1).limiter })(hello), {
      path: join(tmpdir(), `tollgate-${process.pid}.sock`),
    });
    const get = () =>
      new Promise<number | undefined>((resolve) => {
        httpRequest(
          { socketPath: path, path: "/" },
          (response) => void response.resume().on("end", () => resolve(response.statusCode)),
        ).end();
      });
    expect([await get(), await get()]).toEqual([200, 429]);
  });
});

const brokenKey = (): string => {
  throw new RangeError("secret of the inside");
};

describe("a limiter that fails in front of a node:http handler", () => {
  it.each([
    ["in this process", createLimiter({ key: brokenKey, limits: [perSecond(5)] })],
    ["elsewhere", createLimiter({ key: brokenKey, limits: [perSecond(5)], store: new AsyncTwin() })],
  ])("gives 500 with a JSON error and no stack, the store %s", async (_where, limiter) => {
    const logged: unknown[] = [];
    const logError = (error: unknown) => void logged.push(error);
    const answer = await fetch(await serve(rateLimit({ limiter, logError })(hello)));
    expect([answer.status, await answer.text()]).toEqual([500, '{"error":"internal server error"}']);
    expect(logged).toEqual([new RangeError("secret of the inside")]);
  });
});

it("refuses a node:http handler that is not a function", () => {
  const limit = rateLimit({ limiter: createLimiter({ key: perAddress, limits: [perSecond(5)] }) });
  const message = 'handler: expected a function of request and response, got "hello"';
  expect(() => limit("hello" as never)).toThrow(expect.objectContaining({ code: "ERR_OPTION", message }));
});
