import type { IncomingMessage, Server } from "node:http";
import { PassThrough } from "node:stream";
import { createAdaptorServer } from "@hono/node-server";
import express from "express";
import { fastify } from "fastify";
import { Hono } from "hono";
import Koa from "koa";
import { type Clock, createLimiter } from "tollgate";
import { rateLimit as inFrontOfExpress } from "tollgate/express";
import { rateLimit as inFrontOfFastify } from "tollgate/fastify";
import { decisionOf, rateLimit as inFrontOfFetch } from "tollgate/fetch";
import { rateLimit as inFrontOfHono } from "tollgate/hono";
import { rateLimit as inFrontOfKoa } from "tollgate/koa";
import { rateLimit as inFrontOfNode, type RateLimited, rateLimitHeaders } from "tollgate/node";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../start-ms.ts";
import { bucketOf, left, perAddress } from "./suite/case.ts";
import { type Answer, send } from "./suite/client.ts";
import { urlOf } from "./suite/node-server.ts";

function limit(capacity: number, clock: Clock = manualClock(START_MS)) {
  return { limiter: createLimiter({ key: perAddress, limits: [bucketOf(capacity)], clock }) };
}

async function ask(served: Parameters<typeof urlOf>[0]): Promise<Answer> {
  return send(await urlOf(served));
}

function expectBoth({ headers }: Pick<Answer, "headers">, [first, second]: readonly [number, number]): void {
  const least = Math.min(first, second);
  expect(headers["ratelimit-policy"]).toBe(`"bucket";q=${first};w=${first}, "bucket";q=${second};w=${second}`);
  expect(headers["ratelimit"]).toBe(`"bucket";r=${least - 1};t=1`);
}

const CAPACITIES = [
  [9, 3],
  [3, 9],
] as const;

describe.each(CAPACITIES)("limiters of two adapters in a row, of %d and %d", (first, second) => {
  it("are both told by a Node handler in Express", async () => {
    const app = express();
    app.use(inFrontOfExpress(limit(first)));
    app.use(inFrontOfNode(limit(second))((_request, response) => void response.end("hello")));
    expectBoth(await ask(app), [first, second]);
  });

  it("are both told by Koa behind a Node handler", async () => {
    const app = new Koa();
    app.use(inFrontOfKoa(limit(second)));
    app.use((context) => {
      context.body = "hello";
    });
    const listener = app.callback();
    const handler = inFrontOfNode(limit(first))((request, response) => void listener(request, response));
    expectBoth(await ask(handler), [first, second]);
  });

  it("are both told by a fetch handler in Hono on Node", async () => {
    const server = createAdaptorServer({ fetch: fetchInHono(first, second).fetch }) as Server;
    expectBoth(await ask(server), [first, second]);
  });

  it("are both told by a fetch handler in Hono without a server", async () => {
    const { headers } = await fetchInHono(first, second).request("/");
    expectBoth({ headers: Object.fromEntries(headers) }, [first, second]);
  });
});

function fetchInHono(first: number, second: number): Hono {
  const app = new Hono();
  app.use(inFrontOfHono(limit(first)));
  const handle = inFrontOfFetch(limit(second))((request) => new Response(String(decisionOf(request)?.remaining)));
  app.get("/", (context) => handle(context.req.raw));
  return app;
}

describe("the headers of two limiters", () => {
  it("are those of one request if a handler of fetch gets the same object twice", async () => {
    const handle = inFrontOfFetch(limit(9))(() => new Response("hello"));
    const request = new Request("http://here.example/");
    const told = async () => (await handle(request)).headers.get("ratelimit-policy");
    expect([await told(), await told()]).toEqual(['"bucket";q=9;w=9', '"bucket";q=9;w=9']);
    const other = inFrontOfFetch(limit(3))(() => new Response("hello"));
    expect((await other(request)).headers.get("ratelimit-policy")).toBe('"bucket";q=3;w=3');
  });

  it.each<[name: string, limited: (capacity: number, clock?: Clock) => (request: Request) => Promise<Response>]>([
    ["fetch", (capacity, clock) => inFrontOfFetch(limit(capacity, clock))(() => new Response("hello"))],
    [
      "Hono",
      (capacity, clock) => {
        const app = new Hono().use(inFrontOfHono(limit(capacity, clock))).get("/", (context) => context.text("hello"));
        return async (request) => app.fetch(request);
      },
    ],
  ])("are those of one request if the same object comes again after a denial: %s", async (_name, limited) => {
    const clock = manualClock(START_MS);
    const handle = limited(2, clock);
    const request = new Request("http://here.example/");
    const told: unknown[] = [];
    for (const waitMs of [0, 0, 0, 10_000]) {
      clock.advance(waitMs);
      const { headers, status } = await handle(request);
      told.push([status, headers.get("ratelimit")]);
    }
    const [full, none] = ['"bucket";r=1;t=1', '"bucket";r=0;t=1'];
    expect(told).toEqual([
      [200, full],
      [200, none],
      [429, none],
      [200, full],
    ]);
    expect((await limited(9)(request)).headers.get("ratelimit-policy")).toBe('"bucket";q=9;w=9');
  });

  it("include the wait of a denial that onDenied has waived", async () => {
    const app = express();
    const onDenied = (_request: unknown, _response: unknown, _decision: unknown, next: () => void) => next();
    app.use(inFrontOfExpress({ ...limit(1), cost: 1, onDenied }));
    app.use(inFrontOfExpress(limit(9)));
    app.get("/", (_request, response) => void response.send("hello"));
    const url = await urlOf(app);
    await send(url);
    const { headers, status } = await send(url);
    expect([status, headers["ratelimit"], headers["retry-after"]]).toEqual([200, '"bucket";r=0;t=1', undefined]);
  });
});

describe("settle", () => {
  it("is found by listeners for upgrades", () => {
    const { limiter } = limit(10);
    const listen = inFrontOfNode({ limiter, cost: 7, settle: true }).upgrade((request) => request.rateLimit?.settle(2));
    const request = { method: "GET", url: "/", headers: {}, socket: { remoteAddress: "127.0.0.1" } };
    listen(request as IncomingMessage, new PassThrough(), Buffer.alloc(0));
    expect(left(limiter)).toBe(8);
  });

  it("charges all of the cost after a denial that onDenied has waived", async () => {
    const { limiter } = limit(10);
    const app = express();
    const onDenied = (_request: unknown, _response: unknown, _decision: unknown, next: () => void) => next();
    app.use(inFrontOfExpress({ limiter, cost: 7, settle: true, onDenied }));
    app.get("/", (request, response) => {
      request.rateLimit?.settle(2);
      response.send("hello");
    });
    const url = await urlOf(app);
    const seen: number[] = [];
    for (let i = 0; i < 4; i += 1) {
      await send(url);
      seen.push(left(limiter));
    }
    expect(seen).toEqual([8, 6, 4, 2]);
  });
});

describe("requestProperty gives each of two limiters a name of its own, and the last one nothing else", () => {
  const all = limit(9);
  const own = { ...limit(8), requestProperty: "logins" };
  const inNames = (holder: unknown): string => {
    const { rateLimit, logins } = holder as Readonly<Record<"rateLimit" | "logins", RateLimited>>;
    return `${rateLimit.limitRemaining} ${logins.limitRemaining}`;
  };

  const CASES: readonly (readonly [string, () => Promise<string>])[] = [
    [
      "express",
      () => {
        const app = express().use(inFrontOfExpress(all), inFrontOfExpress(own));
        app.use((request, response) => void response.end(inNames(request)));
        return urlOf(app);
      },
    ],
    [
      "node",
      () => urlOf(inFrontOfNode(all)(inFrontOfNode(own)((request, response) => void response.end(inNames(request))))),
    ],
    [
      "koa",
      () => {
        const app = new Koa().use(inFrontOfKoa(all)).use(inFrontOfKoa(own));
        app.use((context) => {
          context.body = inNames(context.state);
        });
        const listener = app.callback();
        return urlOf((request, response) => void listener(request, response));
      },
    ],
    [
      "hono",
      () => {
        const app = new Hono<{ Variables: { logins: RateLimited } }>();
        app.use(inFrontOfHono(all), inFrontOfHono(own));
        app.get("/", (context) => context.text(inNames(context.var)));
        return urlOf(createAdaptorServer(app));
      },
    ],
    [
      "fastify",
      async () => {
        const app = fastify();
        await app.register(inFrontOfFastify, all);
        await app.register(inFrontOfFastify, own);
        app.get("/", async (request) => inNames(request));
        await app.ready();
        return urlOf(app.server);
      },
    ],
  ];

  it.each(CASES.map(([name, serve], i) => [name, serve, `${8 - i} ${7 - i}`] as const))(
    "in %s",
    async (_, serve, body) => {
      expect((await send(await serve())).body).toBe(body);
    },
  );
});

it("rateLimitHeaders refuses what is no decision, such as the promise of a call without await", () => {
  const cases: readonly (readonly [value: unknown, got: string])[] = [
    [undefined, "undefined"],
    [Promise.resolve(limit(1)), "a promise"],
    [limit(1).limiter, "an object"],
  ];
  for (const [value, got] of cases)
    expect(() => rateLimitHeaders(value as never)).toThrow(`rateLimitHeaders: expected a decision, got ${got}`);
});
