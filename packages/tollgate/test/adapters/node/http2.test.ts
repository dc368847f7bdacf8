import { once } from "node:events";
import { type ClientHttp2Stream, constants, createServer, type Http2ServerResponse } from "node:http2";
import type { Server } from "node:net";
import { fastify } from "fastify";
import Koa from "koa";
import { type Cost, concurrency, type Limiter } from "tollgate";
import { rateLimit as inFrontOfFastify } from "tollgate/fastify";
import { rateLimit as inFrontOfKoa } from "tollgate/koa";
import { type HttpFacts, rateLimit as inFrontOfNode, type Outcome } from "tollgate/node";
import { describe, expect, it } from "vitest";
import { bucketOf, left, manualLimiter, recorder } from "../suite/case.ts";
import { sendHttp2 } from "../suite/client.ts";
import { sessionWith } from "../suite/node-server.ts";
import { until } from "../suite/until.ts";

interface Options {
  readonly limiter: Limiter<HttpFacts>;
  readonly chargeAfter?: (request: unknown, outcome: Outcome) => Cost;
  readonly skip?: () => Promise<boolean>;
}

/** Answers a request whose path is given, or does not. */
type Handler = (path: string, response: Http2ServerResponse) => void | Promise<void>;

const ADAPTERS: readonly [name: string, listen: (options: Options, handle: Handler) => Server | Promise<Server>][] = [
  [
    "node",
    (options, handle) =>
      createServer(inFrontOfNode(options)((request, response) => handle(request.url ?? "", response as never))),
  ],
  [
    "koa",
    (options, handle) => {
      const app = new Koa();
      app.use(inFrontOfKoa(options));
      app.use((context) => {
        context.respond = false;
        context.status = 200;
        return handle(context.path, context.res as never);
      });
      const callback = app.callback();
      return createServer((request, response) => void callback(request, response));
    },
  ],
  [
    "fastify",
    async (options, handle) => {
      const app = fastify({ http2: true });
      await app.register(inFrontOfFastify, options);
      app.get("/ok", async () => "hello");
      app.get("*", (request, reply) => handle(request.url, reply.hijack().raw));
      await app.ready();
      return app.server;
    },
  ],
];

const hello: Handler = (path, response) => {
  if (path === "/ok") response.end("hello");
  if (path === "/part") response.write("hel");
};

describe.each(ADAPTERS)("the adapter of %s over HTTP/2", (_name, listen) => {
  /** Connects to a server, and has a function that leaves a request when something holds. */
  async function connect(options: Options, handle = hello) {
    const session = await sessionWith(await listen(options, handle));
    const leave = async (stream: ClientHttp2Stream): Promise<void> => {
      if (stream.destroyed) return;
      const closed = once(stream, "close");
      stream.close(constants.NGHTTP2_CANCEL);
      await closed;
    };
    const begin = (path: string): ClientHttp2Stream =>
      session
        .request({ ":path": path })
        .on("error", () => {})
        .resume();
    return { session, begin, leave };
  }

  it("counts each stream, and sends the same headers and body as over HTTP/1.1", async () => {
    const { session } = await connect({ limiter: manualLimiter([bucketOf(2)]).limiter });
    const answers = await Promise.all([1, 2, 3].map(() => sendHttp2(session, "/ok")));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 429]);
    expect(answers.find(({ status }) => status === 200)?.headers["ratelimit-policy"]).toBe('"bucket";q=2;w=2');
    const headers = { "retry-after": "1", ratelimit: '"bucket";r=0;t=1', "cache-control": "no-store" };
    const body = '{"error":"rate limit exceeded","retry_after_secs":1}';
    expect(answers.find(({ status }) => status === 429)).toMatchObject({ body, headers });
  });

  it("settles once a response that is whole, in pieces, broken off or late", async () => {
    const { outcomes, chargeAfter } = recorder(({ completed }) => (completed ? 3 : 0));
    const { limiter } = manualLimiter([bucketOf(10)]);
    let late = () => {};
    const { session, begin, leave } = await connect({ limiter, chargeAfter }, (path, response) => {
      if (path !== "/late") return hello(path, response);
      return new Promise((resolve) => {
        late = () => {
          response.end("no");
          resolve();
        };
      });
    });
    await sendHttp2(session, "/ok");
    await until(() => outcomes.length === 1, "the whole one is told");
    const part = begin("/part");
    await once(part, "response");
    await leave(part);
    await until(() => outcomes.length === 2, "what was begun is told");
    const never = begin("/late");
    await until(() => left(limiter) === 5, "it is counted");
    await leave(never);
    await sendHttp2(session, "/ok");
    await until(() => outcomes.length === 3, "the next is told, and before it nothing of what has no answer yet");
    late();
    await until(() => outcomes.length === 4, "the late one is told");
    expect(outcomes).toEqual([
      { status: 200, bytes: 5, completed: true },
      { status: 200, bytes: 3, completed: false },
      { status: 200, bytes: 5, completed: true },
      { status: 200, bytes: 0, completed: false },
    ]);
    await until(() => left(limiter) === 2, "whole ones are charged, the others keep what they took");
  });

  it("hands the handler no more than the limit of streams that are reset", async () => {
    const { limiter } = manualLimiter([bucketOf(3)]);
    let handled = 0;
    const { begin, leave } = await connect({ limiter, chargeAfter: () => 0 }, () => {
      handled += 1;
    });
    let denied = 0;
    for (let i = 0; i < 30; i += 1) {
      const stream = begin("/login").on("response", () => {
        denied += 1;
      });
      await until(() => handled + denied === i + 1, "it is handled or denied");
      await leave(stream);
    }
    expect([handled, denied, left(limiter)]).toEqual([3, 27, 0]);
  });

  it("counts a client that leaves while the limiter waits under the client's address, and calls no handler", async () => {
    const { limiter } = manualLimiter([bucketOf(9)]);
    const asked: ((isSkipped: boolean) => void)[] = [];
    const reached: string[] = [];
    const skip = () => new Promise<boolean>((resolve) => void asked.push(resolve));
    const { session, begin, leave } = await connect({ limiter, skip }, (path, response) => {
      reached.push(path);
      response.end();
    });
    const stream = begin("/gone");
    await until(() => asked.length === 1, "it is asked");
    await leave(stream);
    const answer = sendHttp2(session, "/there");
    await until(() => asked.length === 2, "the server has noticed that the first has gone");
    for (const goOn of asked) goOn(false);
    await answer;
    await until(() => left(limiter) === 7, "both are counted");
    expect(reached).toEqual(["/there"]);
  });

  it("frees the place of a stream that has ended or was reset", async () => {
    const { limiter } = manualLimiter([concurrency({ max: 2, ttl: "1m" })]);
    const used = () => limiter.explain({ remoteAddress: "127.0.0.1" } as HttpFacts)[0]!.used;
    const { session, begin, leave } = await connect({ limiter });
    await sendHttp2(session, "/ok");
    await until(() => used() === 0, "it has ended");
    for (const path of ["/part", "/hang"]) {
      const streams = [begin(path), begin(path)];
      await until(() => used() === 2, "both places are taken");
      expect((await sendHttp2(session, "/ok")).status).toBe(429);
      await Promise.all(streams.map(leave));
      await until(() => used() === 0, "both are freed");
    }
  });
});

it("a response over HTTP/2 that onDenied of node began before it failed is broken off", async () => {
  const onDenied = (_request: unknown, response: { write(text: string): unknown }) => {
    response.write("half ");
    throw new Error("no answer");
  };
  const limited = inFrontOfNode({ limiter: manualLimiter([bucketOf(1)]).limiter, onDenied, logError: () => {} });
  const session = await sessionWith(createServer(limited((_request, response) => void response.end("hello"))));
  await sendHttp2(session, "/");
  await expect(sendHttp2(session, "/")).rejects.toThrow("NGHTTP2_INTERNAL_ERROR");
});
