import { EventEmitter, once } from "node:events";
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLimiter, type Denied, perMinute, perSecond, slidingWindow, tokenBucket } from "tollgate";
import {
  factsOf,
  type HttpFacts,
  type LimitedHandler,
  type NodeHandler,
  type RateLimitOptions,
  rateLimit,
} from "tollgate/node";
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
const statuses = async (url: string, count: number) => {
  const all: number[] = [];
  for (let i = 0; i < count; i += 1) all.push((await fetch(url)).status);
  return all;
};

describe("node:http", () => {
  it("the trace at capacity 10, 1 per second", async () => {
    const { clock, limiter } = setUp(10);
    const left = () => limiter.peek({ remoteAddress: "127.0.0.1" } as HttpFacts, 0).remaining;
    const url = await serve(rateLimit({ limiter })(hello));
    expect(await statuses(url, 3)).toEqual([200, 200, 200]);
    expect(left()).toBe(7);
    clock.advance(1_000);
    expect(left()).toBe(8);
    expect(await statuses(url, 9)).toEqual([...Array<number>(8).fill(200), 429]);
    clock.advance(1_000);
    expect(await statuses(url, 1)).toEqual([200]);
    expect(left()).toBe(0);
  });

  it("tells a denied client when to come back: whole seconds, rounded up", async () => {
    const { clock, limiter } = setUp(1);
    const url = await serve(rateLimit({ limiter })(hello));
    await fetch(url);
    for (const [advanceMs, seconds] of [
      [0, 1],
      [1, 1],
      [998.999, 1],
    ] as const) {
      clock.advance(advanceMs);
      const denied = await fetch(url);
      expect(denied.status).toBe(429);
      expect(denied.headers.get("retry-after")).toBe(String(seconds));
      expect(denied.headers.get("content-type")).toBe("application/json; charset=utf-8");
      expect(denied.headers.get("cache-control")).toBe("no-store");
      expect(await denied.text()).toBe(`{"error":"rate limit exceeded","retry_after_secs":${seconds}}`);
    }
    clock.advance(0.001);
    expect(await statuses(url, 2)).toEqual([200, 429]);
  });

  it("rounds 1.001 s up to 2", async () => {
    const clock = manualClock(START_MS);
    const limiter = createLimiter({ key: perAddress, limits: [slidingWindow({ limit: 1, window: 1_001 })], clock });
    const url = await serve(rateLimit({ limiter })(hello));
    await fetch(url);
    expect((await fetch(url)).headers.get("retry-after")).toBe("2");
  });

  it("names no time where waiting never helps", async () => {
    const limiter = createLimiter({ key: perAddress, limits: [perSecond(5)] });
    const never = { ...limiter, kind: "sync" as const, consume: (facts: HttpFacts) => limiter.consume(facts, 6) };
    const denied = await fetch(await serve(rateLimit({ limiter: never })(hello)));
    expect(denied.headers.has("retry-after")).toBe(false);
    expect(await denied.json()).toEqual({ error: "rate limit exceeded", retry_after_secs: null });
  });

  it("50 concurrent requests at capacity 10: exactly 10 pass", async () => {
    const { limiter } = setUp(10);
    const url = await serve(rateLimit({ limiter })(hello));
    const answers = await Promise.all(Array.from({ length: 50 }, async () => (await fetch(url)).status));
    expect(answers.filter((status) => status === 200)).toHaveLength(10);
    expect(answers.filter((status) => status === 429)).toHaveLength(40);
  });

  it("an asynchronous limiter decides alike", async () => {
    const limiter = createLimiter({ key: perAddress, limits: [perMinute(10)], store: new AsyncTwin() });
    const url = await serve(rateLimit({ limiter })(hello));
    const answers = await Promise.all(Array.from({ length: 50 }, async () => (await fetch(url)).status));
    expect(answers.filter((status) => status === 200)).toHaveLength(10);
  });

  it("hands the limiter what `input` makes of the request", async () => {
    const limiter = createLimiter({ key: (user: { id: string }) => user.id, limits: [perMinute(1)] });
    const input = (request: IncomingMessage) => ({ id: String(request.headers["x-user"]) });
    const url = await serve(rateLimit({ limiter, input })(hello));
    const get = async (user: string) => (await fetch(url, { headers: { "x-user": user } })).status;
    expect([await get("ann"), await get("bob"), await get("ann")]).toEqual([200, 200, 429]);
  });

  it("sees method, path, headers and address", async () => {
    const seen: unknown[] = [];
    const url = await serve((request, response) => {
      const facts = factsOf(request);
      seen.push([
        facts.method,
        facts.path,
        facts.header("x-one"),
        facts.header("set-cookie"),
        facts.header("x-none"),
        facts.remoteAddress,
      ]);
      response.end();
    });
    await new Promise<void>((resolve) => {
      const headers = { "x-one": ["a", "b"], "set-cookie": ["c=1", "d=2"] };
      httpRequest(
        `${url}/a/b?c=/d`,
        { method: "PUT", headers },
        (response) => void response.resume().on("end", resolve),
      ).end();
    });
    expect(seen).toEqual([["PUT", "/a/b", "a, b", "c=1, d=2", undefined, "127.0.0.1"]]);
  });

  it.each([
    ["at once", () => unanswered()],
    ["later", async () => unanswered()],
  ])("answers 500 where onDenied fails %s, and reports it", async (_when, onDenied) => {
    const reported: unknown[] = [];
    const logError = (error: unknown) => void reported.push(error);
    const url = await serve(rateLimit({ limiter: setUp(1).limiter, onDenied, logError })(hello));
    await fetch(url);
    expect((await fetch(url)).status).toBe(500);
    expect(reported).toEqual([new Error("no answer")]);
  });

  it("cuts off what onDenied began and failed at", async () => {
    const onDenied = (_request: IncomingMessage, response: ServerResponse) => {
      response.write("half ");
      return unanswered();
    };
    const url = await serve(rateLimit({ limiter: setUp(1).limiter, onDenied, logError: () => {} })(hello));
    await fetch(url);
    await expect(fetch(url).then((answer) => answer.text())).rejects.toThrow();
  });

  it("leaves standing what an outer limiter decided where an inner one counts nothing", async () => {
    const seen: unknown[] = [];
    const outer = rateLimit({ limiter: setUp(5).limiter });
    const inner = rateLimit({ limiter: setUp(9).limiter, skip: () => true });
    const url = await serve(
      outer(
        inner((request, response) => {
          seen.push(request.rateLimit?.remaining);
          response.end();
        }),
      ),
    );
    await fetch(url);
    expect(seen).toEqual([4]);
  });

  it("exposes its fields beside those that are exposed already", async () => {
    const limited = rateLimit({ limiter: setUp(1).limiter, exposeHeaders: true })(hello);
    const url = await serve((request, response) => {
      response.setHeader("Access-Control-Expose-Headers", "X-Other");
      limited(request, response);
    });
    const exposed = (await fetch(url)).headers.get("access-control-expose-headers");
    expect(exposed).toBe("X-Other, RateLimit-Policy, RateLimit, Retry-After");
  });

  it("sets status and fields before onDenied", async () => {
    const onDenied = (_request: IncomingMessage, response: ServerResponse, { reason }: Denied) => {
      response.end(`${response.statusCode} ${response.getHeader("Retry-After")} ${reason}`);
    };
    const url = await serve(rateLimit({ limiter: setUp(1).limiter, onDenied })(hello));
    await fetch(url);
    const denied = await fetch(url);
    expect([denied.status, await denied.text()]).toEqual([429, "429 1 exhausted"]);
  });

  it("knows headers by their names in any case, and only those that were sent", async () => {
    const seen: unknown[] = [];
    const url = await serve((request, response) => {
      const { header } = factsOf(request);
      seen.push(header("X-API-Key"), header("constructor"), header("__proto__"));
      response.end();
    });
    await fetch(url, { headers: { "x-api-key": "secret" } });
    expect(seen).toEqual(["secret", undefined, undefined]);
  });

  it("a client that goes while the store is asked needs no handler", async () => {
    const store = new AsyncTwin();
    const limiter = createLimiter({ key: perAddress, limits: [perMinute(10)], store });
    const events = new EventEmitter();
    const handled: string[] = [];
    const input = (request: IncomingMessage) => {
      request.socket.on("close", () => events.emit("gone"));
      events.emit("asked");
      return factsOf(request);
    };
    const handler: NodeHandler = (request, response) => {
      handled.push(String(request.url));
      response.end();
    };
    const url = await serve(rateLimit({ limiter, input })(handler));
    const answer = store.hold();
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    // The second waits behind the first.
    socket.write("GET /gone HTTP/1.1\r\nHost: a\r\n\r\n".repeat(2));
    await once(events, "asked");
    const gone = once(events, "gone");
    socket.destroy();
    await gone;
    answer();
    await fetch(`${url}/there`);
    expect(handled).toEqual(["/there"]);
  });

  it("a unix socket has no address", async () => {
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

  it("HEAD and pipelined requests are counted one by one", async () => {
    const { limiter } = setUp(2);
    const { port } = new URL(await serve(rateLimit({ limiter })(hello)));
    const socket = connect(Number(port), "127.0.0.1");
    const head = "HEAD / HTTP/1.1\r\nHost: a\r\n";
    socket.write(`${head}\r\n${head}\r\n${head}\r\n${head}Connection: close\r\n\r\n`);
    let text = "";
    for await (const chunk of socket) text += String(chunk);
    expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200", "HTTP/1.1 429", "HTTP/1.1 429"]);
    expect(text).not.toContain("rate limit exceeded");
  });
});

describe("a limiter that fails", () => {
  const failing = (key: () => string) => {
    const reported: unknown[] = [];
    const logError = (error: unknown) => void reported.push(error);
    return { reported, logError, limits: [perSecond(5)], key };
  };

  it.each([["synchronous"], ["asynchronous"]])("gives 500 with a JSON error and no stack: %s", async (kind) => {
    const { reported, logError, limits, key } = failing(() => {
      throw new RangeError("secret of the inside");
    });
    const options =
      kind === "synchronous"
        ? { limiter: createLimiter({ key, limits }), logError }
        : { limiter: createLimiter({ key, limits, store: new AsyncTwin() }), logError };
    const answer = await fetch(
      await serve(rateLimit(options as RateLimitOptions<HttpFacts> & { input?: never })(hello)),
    );
    expect(answer.status).toBe(500);
    expect(await answer.text()).toBe('{"error":"internal server error"}');
    expect(reported).toEqual([new RangeError("secret of the inside")]);
  });

  it.each([["synchronous"], ["asynchronous"]])("input that throws: %s", async (kind) => {
    const reported: unknown[] = [];
    const input = (): string => {
      throw new RangeError("no input");
    };
    const logError = (error: unknown) => void reported.push(error);
    const handler =
      kind === "synchronous"
        ? rateLimit({ limiter: createLimiter({ limits: [perSecond(5)] }), input, logError })(hello)
        : rateLimit({ limiter: createLimiter({ limits: [perSecond(5)], store: new AsyncTwin() }), input, logError })(
            hello,
          );
    expect((await fetch(await serve(handler))).status).toBe(500);
    expect(reported).toHaveLength(1);
  });

  it("is a warning of the process unless somebody listens", async () => {
    const { limits, key } = failing(() => {
      throw new RangeError("warned about");
    });
    const warned = once(process, "warning");
    expect((await fetch(await serve(rateLimit({ limiter: createLimiter({ key, limits }) })(hello)))).status).toBe(500);
    expect(await warned).toEqual([new RangeError("warned about")]);
  });
});

describe("bad options", () => {
  const limiter = createLimiter({ key: perAddress, limits: [perSecond(5)] });
  const attempt = (options: unknown) => () => rateLimit(options as RateLimitOptions<HttpFacts> & { input?: never });
  it.each<[string, () => unknown, string]>([
    ["none", attempt(undefined), "rateLimit: expected an object of options, got undefined"],
    ["no limiter", attempt({}), "limiter: expected one made by createLimiter or combine, got undefined"],
    [
      "a limiter that is none",
      attempt({ limiter: { allow: () => true } }),
      "limiter: expected one made by createLimiter or combine, got an object",
    ],
    ["input", attempt({ limiter, input: "ip" }), 'input: expected a function of the request, got "ip"'],
    [
      "logError",
      attempt({ limiter, logError: console }),
      "logError: expected a function of error and request, got an object",
    ],
    [
      "handler",
      () => rateLimit({ limiter })("hello" as never),
      'handler: expected a function of request and response, got "hello"',
    ],
  ])("%s", (_name, made, message) => {
    expect(made).toThrow(expect.objectContaining({ code: "ERR_OPTION", message }));
  });
});
