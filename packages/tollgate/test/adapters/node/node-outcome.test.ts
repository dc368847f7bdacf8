import type { IncomingMessage, ServerResponse } from "node:http";
import { factsOf, type NodeHandler, type Outcome, rateLimit } from "tollgate/node";
import { describe, expect, it } from "vitest";
import { bucketOf, left, manualLimiter, recorder } from "../suite/case.ts";
import { leave, send } from "../suite/client.ts";
import { urlOf } from "../suite/node-server.ts";
import { until } from "../suite/until.ts";

/** The outcome of one request to a handler. */
async function outcomeOf(handler: NodeHandler): Promise<Outcome | undefined> {
  const { outcomes, chargeAfter } = recorder();
  await send(await urlOf(rateLimit({ limiter: manualLimiter([bucketOf(5)]).limiter, chargeAfter })(handler)));
  await until(() => outcomes.length === 1, "it is told");
  return outcomes[0];
}

describe("the outcome of a node:http response", () => {
  it("has the status that was sent, not one that was set later", async () => {
    const late = (response: ServerResponse) => {
      response.statusCode = 500;
      response.end("hello");
    };
    const whole = { status: 201, bytes: 5, completed: true };
    expect(await outcomeOf((_request, response) => late(response.writeHead(201)))).toEqual(whole);
    expect(
      await outcomeOf((_request, response) => {
        response.statusCode = 201;
        response.flushHeaders();
        late(response);
      }),
    ).toEqual(whole);
  });

  it("does not count bytes that were written after the end", async () => {
    const outcome = await outcomeOf((_request, response) => {
      response.on("error", () => {});
      response.end("hello");
      response.write("and more");
      response.end("and more");
    });
    expect(outcome).toEqual({ status: 200, bytes: 5, completed: true });
  });

  it.each(["keep-alive", "close"])(
    "is that of a response that other code sent meanwhile, the connection: %s",
    async (connection) => {
      const { outcomes, chargeAfter } = recorder();
      let handled = 0;
      let answered = () => {};
      const input = async (request: IncomingMessage) => {
        await new Promise<void>((resolve) => {
          answered = resolve;
        });
        return factsOf(request);
      };
      const limited = rateLimit({ limiter: manualLimiter([bucketOf(5)]).limiter, input, cost: 0, chargeAfter })(() => {
        handled += 1;
      });
      const url = await urlOf((request, response) => {
        limited(request, response);
        response.writeHead(503, { Connection: connection }).end("too slow");
        response.on("close", () => setTimeout(answered, 10));
      });
      expect((await send(url)).body).toBe("too slow");
      await until(() => outcomes.length === 1, "it is told");
      expect(outcomes).toEqual([{ status: 503, bytes: 0, completed: true }]);
      expect(handled).toBe(0);
    },
  );

  it("is not told for a request that is denied while other code answers", async () => {
    const { outcomes, chargeAfter } = recorder();
    const denials: unknown[] = [];
    const limited = rateLimit({
      limiter: manualLimiter([bucketOf(1)]).limiter,
      input: async (request) => factsOf(request),
      cost: 2,
      chargeAfter,
      onDenied: (_request, _response, decision) => void denials.push(decision),
    })(() => {});
    const url = await urlOf((request, response) => {
      limited(request, response);
      response.write("begun ");
      setTimeout(() => response.end("and done"), 20);
    });
    const answer = await send(url);
    expect([answer.status, answer.body, denials, outcomes]).toEqual([200, "begun and done", [], []]);
  });
});

describe("a node:http request whose client leaves", () => {
  /** A server whose handler is told to end, and what its requests were told to have been. */
  async function serveUntilTold(
    handler: (response: ServerResponse, told: Promise<void>) => Promise<void>,
    settleAborted: boolean,
  ) {
    const { outcomes, chargeAfter } = recorder(() => 0);
    let begun = 0;
    let tell = (): void => {};
    const told = new Promise<void>((resolve) => {
      tell = resolve;
    });
    const { limiter } = manualLimiter([bucketOf(5)]);
    const url = await urlOf(
      rateLimit({ limiter, chargeAfter, settleAborted })((_request, response) => {
        begun += 1;
        return handler(response, told);
      }),
    );
    return { limiter, outcomes, tell, url, hasBegun: () => begun === 1 };
  }

  it("is settled when the handler's promise is, even without a response", async () => {
    const { hasBegun, limiter, outcomes, tell, url } = await serveUntilTold((_response, told) => told, true);
    await leave(url, "GET / HTTP/1.1\r\nHost: here\r\n\r\n", until(hasBegun, "it is handled"));
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect([outcomes, left(limiter)]).toEqual([[], 4]);
    tell();
    await until(() => left(limiter) === 5, "it is given back");
    expect(outcomes).toEqual([{ status: 0, bytes: 0, completed: false }]);
  });

  it.each([true, false])(
    "in the middle of a response is settled after the handler, with settleAborted %s",
    async (inFull) => {
      const handler = async (response: ServerResponse, told: Promise<void>) => {
        response.on("error", () => {});
        response.write("half");
        await told;
        response.end("and half");
      };
      const { limiter, outcomes, tell, url } = await serveUntilTold(handler, inFull);
      await leave(url, "GET / HTTP/1.1\r\nHost: here\r\n\r\n", "first bytes");
      await new Promise((resolve) => setTimeout(resolve, 30));
      expect([outcomes, left(limiter)]).toEqual([[], 4]);
      tell();
      await until(() => outcomes.length === 1, "it is told");
      expect(outcomes).toEqual([{ status: 200, bytes: 4, completed: false }]);
      await until(() => left(limiter) === (inFull ? 5 : 4), "it is settled");
    },
  );

  it("is settled when the handler has finished, even if the response has ended before", async () => {
    const handler = async (response: ServerResponse, told: Promise<void>) => {
      response.end("hello");
      await told;
    };
    const { limiter, outcomes, tell, url } = await serveUntilTold(handler, false);
    await send(url);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect([outcomes, left(limiter)]).toEqual([[], 4]);
    tell();
    await until(() => left(limiter) === 5, "it is given back");
    expect(outcomes).toEqual([{ status: 200, bytes: 5, completed: true }]);
  });

  it("leaves the handler's rejection to the process", async () => {
    const failure = new Error("the handler failed");
    const unhandled: unknown[] = [];
    const listeners = process.listeners("unhandledRejection");
    process.removeAllListeners("unhandledRejection");
    process.on("unhandledRejection", (reason) => unhandled.push(reason));
    const { hasBegun, outcomes, tell, url } = await serveUntilTold(async (_response, told) => {
      await told;
      throw failure;
    }, false);
    await leave(url, "GET / HTTP/1.1\r\nHost: here\r\n\r\n", until(hasBegun, "it is handled"));
    tell();
    await until(() => unhandled.length > 0 && outcomes.length > 0, "the process is told");
    process.removeAllListeners("unhandledRejection");
    for (const listener of listeners) process.on("unhandledRejection", listener);
    expect(unhandled).toEqual([failure]);
  });
});
