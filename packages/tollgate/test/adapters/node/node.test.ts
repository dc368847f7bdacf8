import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type NodeHandler, rateLimit } from "tollgate/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { bucketOf, manualLimiter } from "../suite/case.ts";
import { urlOf } from "../suite/node-server.ts";

const hello: NodeHandler = (_request, response) => void response.end("hello");
const limiterOf = (capacity: number) => manualLimiter([bucketOf(capacity)]).limiter;
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
    const url = await urlOf(rateLimit({ limiter: limiterOf(1), onDenied, logError })(hello));
    await fetch(url);
    const failed = await fetch(url);
    expect([failed.status, await failed.text()]).toEqual([500, '{"error":"internal server error"}']);
    expect(logged).toEqual([new Error("no answer")]);
  });

  it("cuts off a response that onDenied began before it failed", async () => {
    const onDenied = (_request: IncomingMessage, response: ServerResponse) => {
      response.write("half ");
      return unanswered();
    };
    const url = await urlOf(rateLimit({ limiter: limiterOf(1), onDenied, logError: () => {} })(hello));
    await fetch(url);
    await expect(fetch(url).then((answer) => answer.text())).rejects.toThrow();
  });

  it("counts requests over a unix socket without an address", async () => {
    const path = join(tmpdir(), `tollgate-${process.pid}.sock`);
    const server = createServer(rateLimit({ limiter: limiterOf(1) })(hello));
    onTestFinished(() => void server.close());
    await once(server.listen(path), "listening");
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

it("refuses a node:http handler that is not a function", () => {
  const limit = rateLimit({ limiter: limiterOf(5) });
  const message = 'handler: expected a function of request and response, got "hello"';
  expect(() => limit("hello" as never)).toThrow(expect.objectContaining({ code: "ERR_OPTION", message }));
});
