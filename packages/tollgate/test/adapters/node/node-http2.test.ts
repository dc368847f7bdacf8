import { once } from "node:events";
import type { ServerResponse } from "node:http";
import {
  constants,
  createServer,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { concurrency } from "tollgate";
import { type HttpFacts, type Outcome, rateLimit } from "tollgate/node";
import { afterEach, describe, expect, it } from "vitest";
import { bucketOf, left, manualLimiter } from "../suite/case.ts";
import { connectHttp2, sendHttp2 } from "../suite/client.ts";
import { until } from "../suite/until.ts";

const servers: Http2Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function serve(listener: (request: Http2ServerRequest, response: Http2ServerResponse) => void): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("rateLimit of node over HTTP/2", () => {
  it("counts each stream, and sends the same headers as over HTTP/1.1", async () => {
    const { limiter } = manualLimiter([bucketOf(2)]);
    const limited = rateLimit({ limiter })((_request: Http2ServerRequest, response: Http2ServerResponse) => {
      response.end("hello");
    });
    const session = connectHttp2(await serve(limited));
    const answers = await Promise.all([1, 2, 3].map(() => sendHttp2(session, "/ok")));
    session.close();
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 429]);
    const denied = answers.find(({ status }) => status === 429);
    expect(denied?.body).toBe('{"error":"rate limit exceeded","retry_after_secs":1}');
    expect(denied?.headers).toMatchObject({
      "retry-after": "1",
      ratelimit: '"bucket";r=0;t=1',
      "cache-control": "no-store",
    });
  });

  it("breaks off a response that onDenied began before it failed", async () => {
    const onDenied = (_request: unknown, response: ServerResponse) => {
      response.write("half ");
      throw new Error("no answer");
    };
    const limited = rateLimit({ limiter: manualLimiter([bucketOf(1)]).limiter, onDenied, logError: () => {} })(
      (_request: Http2ServerRequest, response: Http2ServerResponse) => void response.end("hello"),
    );
    const session = connectHttp2(await serve(limited));
    await sendHttp2(session, "/");
    await expect(sendHttp2(session, "/")).rejects.toThrow("NGHTTP2_INTERNAL_ERROR");
    session.close();
  });

  it("counts a client that leaves while skip is pending under the client's address", async () => {
    const { limiter } = manualLimiter([bucketOf(9)]);
    let goOn = () => {};
    const skip = () =>
      new Promise<boolean>((resolve) => {
        goOn = () => resolve(false);
      });
    const gone: Promise<unknown>[] = [];
    const limited = rateLimit({ limiter, skip })((_request: Http2ServerRequest, response: Http2ServerResponse) => {
      response.end("hello");
    });
    const url = await serve((request, response) => {
      gone.push(once(response, "close"));
      limited(request, response);
    });
    const session = connectHttp2(url);
    const stream = session.request({ ":path": "/" });
    stream.on("error", () => {});
    await until(() => gone.length === 1, "it is asked");
    stream.close(constants.NGHTTP2_CANCEL);
    session.destroy();
    await gone[0];
    goOn();
    await until(() => left(limiter) === 8, "it is counted");
  });

  it.each(["a promise", "nothing"])(
    "hands the handler no more than the limit of streams that are reset: it returns %s",
    async (what) => {
      const { limiter } = manualLimiter([bucketOf(3)]);
      let handled = 0;
      let denied = 0;
      const handler = (_request: Http2ServerRequest, _response: Http2ServerResponse): Promise<void> | void => {
        handled += 1;
        return what === "nothing" ? undefined : new Promise<void>(() => {});
      };
      const onDenied = (_request: unknown, response: ServerResponse) => {
        denied += 1;
        response.end();
      };
      const session = connectHttp2(await serve(rateLimit({ limiter, chargeAfter: () => 0, onDenied })(handler)));
      for (let i = 0; i < 50; i += 1) {
        const stream = session.request({ ":path": "/login" });
        stream.on("error", () => {});
        stream.resume();
        const closed = new Promise((resolve) => stream.once("close", resolve));
        await until(() => handled + denied === i + 1, "it is handled or denied");
        stream.close(constants.NGHTTP2_CANCEL);
        await closed;
      }
      session.close();
      expect([handled, denied, left(limiter)]).toEqual([3, 47, 0]);
    },
  );

  it("settles once a response that is whole, in pieces or broken off", async () => {
    const outcomes: Outcome[] = [];
    const chargeAfter = (_request: unknown, outcome: Outcome) => {
      outcomes.push(outcome);
      return 1;
    };
    const handled: unknown[] = [];
    let late = () => {};
    const limited = rateLimit({ limiter: manualLimiter([bucketOf(100)]).limiter, chargeAfter })(
      (request: Http2ServerRequest, response: Http2ServerResponse) => {
        if (request.url === "/late") {
          late = () => {
            response.statusCode = 401;
            response.end("no");
          };
          handled.push(request.url);
          return;
        }
        response.write("hello ");
        handled.push(request.url);
        if (request.url === "/ok") response.end("there");
      },
    );
    const session = connectHttp2(await serve(limited));
    await sendHttp2(session, "/ok");
    await until(() => outcomes.length === 1, "the first is told");
    for (const path of ["/part", "/late"]) {
      const stream = session.request({ ":path": path });
      stream.on("error", () => {});
      await until(() => handled.includes(path), `${path} is handled`);
      stream.close(constants.NGHTTP2_CANCEL);
      await once(stream, "close");
    }
    await until(() => outcomes.length === 2, "what was begun is told");
    await sendHttp2(session, "/ok");
    await until(() => outcomes.length === 3, "the next is told, and before it nothing of what has no answer yet");
    late();
    await until(() => outcomes.length === 4, "the last is told");
    session.close();
    expect(outcomes).toEqual([
      { status: 200, bytes: 11, completed: true },
      { status: 200, bytes: 6, completed: false },
      { status: 200, bytes: 11, completed: true },
      { status: 401, bytes: 0, completed: false },
    ]);
  });

  it("frees the place of a stream that has ended or was reset", async () => {
    const { limiter } = manualLimiter([concurrency({ max: 2, ttl: "1m" })]);
    const used = () => limiter.explain({ remoteAddress: "127.0.0.1" } as HttpFacts)[0]!.used;
    const limited = rateLimit({ limiter })((request: Http2ServerRequest, response: Http2ServerResponse) => {
      if (request.url === "/ok") response.end("hello");
      if (request.url === "/part") response.write("hello ");
    });
    const session = connectHttp2(await serve(limited));
    await sendHttp2(session, "/ok");
    await until(() => used() === 0, "it has ended");
    for (const path of ["/part", "/hang"]) {
      const streams = [1, 2].map(() => session.request({ ":path": path }));
      for (const stream of streams) stream.on("error", () => {});
      await until(() => used() === 2, "both places are taken");
      expect((await sendHttp2(session, "/ok")).status).toBe(429);
      for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL);
      await until(() => used() === 0, "both are freed");
    }
    session.close();
  });
});
