import { createLimiter, type Denied, perHour } from "tollgate";
import { clientIp, decisionOf, rateLimit } from "tollgate/fetch";
import { describe, expect, it } from "vitest";
import { recorder } from "../suite/case.ts";
import { urlOf } from "../suite/node-server.ts";

const URL_HERE = "http://here.example/path";
const HEADERS = ["ratelimit", "ratelimit-policy"];

const limiterOf = (capacity: number) => createLimiter({ key: () => "everybody", limits: [perHour(capacity)] });
const limit = (capacity = 10) => rateLimit({ limiter: limiterOf(capacity) });
const ask = (headers: Record<string, string> = {}) => new Request(URL_HERE, { headers });

/** The response to a client for a handler's response. */
async function passed(response: Response): Promise<Response> {
  return limit()(() => response)(ask());
}

const limitHeadersOf = ({ headers }: Response) => HEADERS.filter((name) => headers.has(name));

it("hands all arguments to the fetch handler, and answers denials itself", async () => {
  const handle = limit(1)((request: Request, ...others: unknown[]) => Response.json([request.url, ...others]));
  expect(await (await handle(ask(), 1, { two: 2 })).json()).toEqual([URL_HERE, 1, { two: 2 }]);
  const denied = await handle(ask(), 1);
  expect([denied.status, denied.headers.get("retry-after")]).toEqual([429, "3600"]);
  expect(denied.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(denied.headers.get("cache-control")).toBe("no-store");
  expect(await denied.text()).toBe('{"error":"rate limit exceeded","retry_after_secs":3600}');
});

describe("the response of a limited fetch handler", () => {
  /** A response whose headers do not change. */
  async function fetched(status: number, body: string | null): Promise<Response> {
    const url = await urlOf((_request, response) => {
      response.writeHead(status, "As It Was", { "X-Upstream": "yes" }).end(body);
    });
    return fetch(url, { redirect: "manual" });
  }

  it("is the same object with added headers if its headers are mutable", async () => {
    const response = new Response("hello", { status: 201, headers: { "X-Own": "1" } });
    expect(await passed(response)).toBe(response);
    expect(limitHeadersOf(response)).toEqual(HEADERS);
    expect(response.headers.get("x-own")).toBe("1");
  });

  it("is a copy if its headers are immutable: a redirect", async () => {
    const response = await passed(Response.redirect("http://there.example/", 307));
    expect([response.status, response.headers.get("location")]).toEqual([307, "http://there.example/"]);
    expect(limitHeadersOf(response)).toEqual(HEADERS);
  });

  it("is a copy if its headers are immutable: a fetched response", async () => {
    const response = await passed(await fetched(418, "short"));
    expect([response.status, response.statusText, await response.text()]).toEqual([418, "As It Was", "short"]);
    expect(response.headers.get("x-upstream")).toBe("yes");
    expect(limitHeadersOf(response)).toEqual(HEADERS);
  });

  it.each([204, 304])("has no body if it was fetched with status %i", async (status) => {
    const response = await passed(await fetched(status, null));
    expect([response.status, response.statusText, response.body]).toEqual([status, "As It Was", null]);
    expect(limitHeadersOf(response)).toEqual(HEADERS);
  });

  it.each([204, 205, 304])("has no body if the handler made it with status %i", async (status) => {
    const response = await passed(new Response(null, { status }));
    expect([response.status, response.body, ...limitHeadersOf(response)]).toEqual([status, null, ...HEADERS]);
  });

  it("is unchanged if there are no headers to add", async () => {
    const response = Response.redirect("http://there.example/", 302);
    expect(await rateLimit({ limiter: limiterOf(1), headers: false })(() => response)(ask())).toBe(response);
    expect(await rateLimit({ limiter: limiterOf(1), skip: () => true })(() => response)(ask())).toBe(response);
  });

  it("is unchanged if it is a network error", async () => {
    const response = Response.error();
    expect(await passed(response)).toBe(response);
  });

  it.each([true, false])("is unchanged if it stands for a web socket (with chargeAfter: %s)", async (charged) => {
    // Node has no such response: those of Workers and Deno have this status, and are known by their identity.
    const response = Object.defineProperty(new Response(null), "status", { value: 101 });
    const { outcomes, chargeAfter } = recorder();
    const options = { limiter: limiterOf(5), ...(charged ? { chargeAfter } : {}) };
    expect(await rateLimit(options)(() => response)(ask())).toBe(response);
    expect(limitHeadersOf(response)).toEqual([]);
    expect(outcomes).toEqual(charged ? [{ status: 101, bytes: 0, completed: true }] : []);
  });

  it.each([null, undefined])("may be %s, for an upgrade or the next handler", async (nothing) => {
    const { outcomes, chargeAfter } = recorder();
    expect(await limit()(() => nothing)(ask())).toBe(nothing);
    expect(await rateLimit({ limiter: limiterOf(5), chargeAfter })(() => nothing)(ask())).toBe(nothing);
    expect(outcomes).toEqual([{ status: 0, bytes: 0, completed: true }]);
  });
});

describe("an error behind the fetch adapter", () => {
  const failure = new Error("failed");
  const fail = (): never => {
    throw failure;
  };

  it("of an option's function rejects the promise, and the handler is not called", async () => {
    let asked = 0;
    const handler = () => {
      asked += 1;
      return new Response("hello");
    };
    for (const options of [{ skip: fail }, { cost: async () => fail() }, { onDenied: fail, cost: 11 }]) {
      await expect(rateLimit({ limiter: limiterOf(10), ...options })(handler)(ask())).rejects.toBe(failure);
    }
    await expect(
      rateLimit({ limiter: createLimiter({ key: clientIp(), limits: [perHour(1)] }), remoteAddress: fail })(handler)(
        ask(),
      ),
    ).rejects.toBe(failure);
    expect(asked).toBe(0);
  });
});

describe("onDenied of the fetch adapter", () => {
  it("gets request and decision, and its response gets the headers that it lacks", async () => {
    const seen: [Request, Denied][] = [];
    const handle = rateLimit({
      limiter: limiterOf(1),
      onDenied: async (request, decision) => {
        seen.push([request, decision]);
        return new Response("wait", { status: 503, headers: { "Retry-After": "7" } });
      },
    })(() => new Response("hello"));
    await handle(ask());
    const request = ask();
    const denied = await handle(request);
    expect(seen).toEqual([[request, expect.objectContaining({ allowed: false, reason: "exhausted" })]]);
    expect([denied.status, denied.headers.get("retry-after"), await denied.text()]).toEqual([503, "7", "wait"]);
    expect([denied.headers.get("cache-control"), ...limitHeadersOf(denied)]).toEqual(["no-store", ...HEADERS]);
  });

  it("may answer with a redirect", async () => {
    const onDenied = () => Response.redirect("http://wait.example/", 302);
    const handle = rateLimit({ limiter: limiterOf(1), onDenied, cost: 2 })(() => new Response("hello"));
    const denied = await handle(ask());
    expect([denied.status, denied.headers.get("location")]).toEqual([302, "http://wait.example/"]);
    expect(limitHeadersOf(denied)).toEqual(HEADERS);
  });

  it.each([undefined, null, "wait", 429])("fails with ERR_OPTION if it returns %j", async (nothing) => {
    const onDenied = async () => nothing as unknown as Response;
    const handle = rateLimit({ limiter: limiterOf(1), onDenied, cost: 2 })(() => new Response("hello"));
    await expect(handle(ask())).rejects.toMatchObject({
      code: "ERR_OPTION",
      message: `onDenied: expected a function that returns a response, got ${JSON.stringify(nothing)}`,
    });
  });
});

describe("decisionOf", () => {
  it("returns the decision on a denied request", async () => {
    const request = ask();
    await rateLimit({ limiter: limiterOf(1), cost: 2 })(() => new Response("never"))(request);
    expect(decisionOf(request)).toMatchObject({ allowed: false, reason: "cost-over-capacity" });
  });

  it("returns undefined for an uncounted request and for a copy of a request", async () => {
    const skipped = ask();
    await rateLimit({ limiter: limiterOf(1), skip: () => true })(() => new Response("hello"))(skipped);
    const counted = ask();
    await limit()(() => new Response("hello"))(counted);
    expect([decisionOf(skipped), decisionOf(counted.clone())]).toEqual([undefined, undefined]);
  });
});

describe("the fetch adapter", () => {
  const limiter = limiterOf(1);
  const attempt = (options: unknown) => () => rateLimit(options as { limiter: typeof limiter });
  it.each<[string, () => unknown, string]>([
    [
      "none",
      attempt(undefined),
      "rateLimit: expected an object of options, got undefined; write rateLimit({ limiter })",
    ],
    ["no limiter", attempt({}), "limiter: expected one made by createLimiter or combine, got undefined"],
    ["onDenied of the fetch adapter", attempt({ limiter, onDenied: 1 }), "onDenied: expected a function, got 1"],
    [
      "remoteAddress",
      attempt({ limiter, remoteAddress: "x-real-ip" }),
      'remoteAddress: expected a function of what the handler gets, got "x-real-ip"',
    ],
    [
      "handler",
      () => rateLimit({ limiter })(new Response("hello") as never),
      "handler: expected a function of the request, got an object",
    ],
  ])("refuses a wrong option: %s", (_name, made, message) => {
    expect(made).toThrow(expect.objectContaining({ code: "ERR_OPTION", message }));
  });
});
