import { combine, createLimiter, perHour, perSecond, TollgateError } from "tollgate";
import { type RateLimitOptions as FetchOptions, rateLimit as inFrontOf } from "tollgate/fetch";
import { clientIp, type HttpFacts, type RateLimitOptions, rateLimit } from "tollgate/node";
import { describe, expect, it } from "vitest";

const limiter = createLimiter({ key: (facts: HttpFacts) => facts.remoteAddress ?? "", limits: [perSecond(1)] });

function errorOf(options: unknown): unknown {
  try {
    rateLimit(options as RateLimitOptions<HttpFacts> & { readonly input?: never });
    return undefined;
  } catch (error) {
    return error;
  }
}

const REFUSED: readonly (readonly [unknown, string])[] = [
  [limiter.allow, "rateLimit: expected an object of options, got a function"],
  [
    { limiter: { kind: "sync", consume: () => {} }, chargeAfter: () => 0 },
    "limiter: expected one made by createLimiter or combine, got an object",
  ],
  [
    { limiter: combine(createLimiter({ limits: [perSecond(1)] }), createLimiter({ limits: [perHour(1)] })) },
    "limiter: expected one with a key function, got one without; " +
      "give createLimiter `key: clientIp()`, or rateLimit `input`",
  ],
  [{ limiter, colour: 100 }, 'rateLimit: unknown option "colour"; expected limiter, input, cost,'],
  [{ limiter, toString: 1 }, 'unknown option "toString"'],
  [{ limiter, cost: { tokens: -1 } }, 'cost of "tokens": expected a whole number from 0 to 2^53 - 1, got -1'],
  [
    { limiter, settleAborted: true },
    "settleAborted: expected true only beside chargeAfter, which says what a request has cost, got true",
  ],
  [{ limiter, retryJitter: "2d" }, 'from 0 to 1d, got "2d"'],
  [{ limiter, maxWait: "2d" }, 'maxWait: expected whole milliseconds or text such as "250ms" or "5s", from 0 to 1d'],
  [{ limiter, maxDelayMs: 5 }, 'unknown option "maxDelayMs"; it is called "maxWait" here'],
  [{ limiter, failureStatus: 200 }, "failureStatus: expected a whole number from 400 to 599, got 200"],
  [
    { limiter, requestProperty: "state.limit" },
    'requestProperty: expected the name of a property, such as "rateLimit"',
  ],
  [{ limiter, requestProperty: "__proto__" }, "requestProperty: expected the name of a property"],
  [{ limiter, requestPropertyName: "limit" }, 'unknown option "requestPropertyName"; it is called "requestProperty"'],
  [{ limiter, headers: "constructor" }, "headers: expected false"],
  [{ limiter, headers: [] }, "headers: expected false, or one or several of"],
  [
    { limiter, headers: ["draft-11", "draft-7"] },
    'headers: expected either "draft-11" or "draft-7", whose headers have the same names, got both',
  ],
  [{ limiter, clientIp: clientIp() }, "clientIp: expected beside allowList or denyList, whose clients it finds"],
  [{ limiter, denyList: ["10.0.0.1"], trustProxy: 1 }, 'unknown option "trustProxy"; it is an option of clientIp()'],
];

describe("rateLimit", () => {
  it.each(REFUSED)("refuses %j", (options, message) => {
    const error = errorOf(options);
    expect(error).toBeInstanceOf(TollgateError);
    expect((error as TollgateError).code).toMatch(/^ERR_(OPTION|COST|DURATION)$/);
    expect((error as TollgateError).message).toContain(message);
  });

  it("accepts every option", () => {
    expect(
      errorOf({
        limiter,
        headers: ["draft-6", "legacy"],
        allowList: [],
        denyList: ["10.0.0.0/8"],
        clientIp: clientIp({ trustProxy: 2, addressHeader: "CF-Connecting-IP" }),
        denial: "problem",
        status: 503,
        failureStatus: 429,
        requestProperty: "$limit_2",
        retryJitter: "10s",
        maxWait: 0,
        exposeHeaders: false,
        onError: "deny",
        cost: 0,
      }),
    ).toBeUndefined();
    const perUnit = Object.assign(Object.create(null) as object, { requests: 1 });
    expect(errorOf({ limiter, cost: perUnit, headers: undefined, clientIp: undefined })).toBeUndefined();
  });
});

describe("requestProperty", () => {
  it("is refused by the fetch adapter, where a function finds the decision", () => {
    const options = { limiter, requestProperty: "limit" };
    expect(() => inFrontOf(options)).toThrow("requestProperty: expected none, as decisionOf(request) finds the");
  });
});

describe("maxWait", () => {
  it("lets a request that need not wait pass in the same turn", () => {
    let passed = 0;
    const once = createLimiter({ key: () => "everybody", limits: [perSecond(1)] });
    const handle = inFrontOf({ limiter: once, maxWait: "1s" })(() => {
      passed += 1;
      return new Response("hello");
    });
    void handle(new Request("http://here.example/"));
    expect(passed).toBe(1);
  });
});

describe("the options of rateLimit", () => {
  const fail = (): never => {
    throw new Error("called again");
  };

  it.each<Partial<FetchOptions<HttpFacts>>>([
    { limiter: createLimiter({ key: fail, limits: [perHour(1)] }) },
    { input: fail },
    { cost: 100 },
    { skip: () => true },
    { allowList: ["192.0.2.1"] },
    { headers: false },
    { partitionKey: fail },
    { denial: "problem" },
    { status: 503 },
    { retryJitter: "1d" },
    { onError: "allow" },
    { chargeAfter: () => 0 },
    { settle: true },
  ])("are copied at construction, so that %o changes nothing later", async (change) => {
    const options: FetchOptions<HttpFacts> & { readonly input?: never } = {
      limiter: createLimiter({ key: () => "everybody", limits: [perHour(3, { burst: 3 })] }),
      cost: (request) => (request.headers.has("x-fail") ? fail() : 2),
      onError: "deny",
      logError: () => {},
    };
    const handle = inFrontOf(options)(() => new Response("hello"));
    Object.assign(options, change);
    const seen: unknown[] = [];
    for (const headers of [[], [], [["x-fail", "yes"]]] as [string, string][][]) {
      const answer = await handle(new Request("http://here.example/", { headers }));
      const [told, wait, type] = ["ratelimit", "retry-after", "content-type"].map((name) => answer.headers.get(name));
      seen.push([answer.status, told?.split(";")[1] ?? null, wait, type, await answer.text()].join(", "));
    }
    const json = "application/json; charset=utf-8";
    expect(seen).toEqual([
      "200, r=1, , text/plain;charset=UTF-8, hello",
      `429, r=1, 1200, ${json}, {"error":"rate limit exceeded","retry_after_secs":1200}`,
      `503, , , ${json}, {"error":"service unavailable"}`,
    ]);
  });

  it("include a copy of the cost per unit", async () => {
    const perToken = createLimiter({ key: () => "everybody", limits: [perHour(9, { unit: "tokens" })] });
    const cost = { tokens: 2 };
    const handle = inFrontOf({ limiter: perToken, cost })(() => new Response("hello"));
    cost.tokens = -7;
    await handle(new Request("http://here.example/"));
    expect(perToken.peek(undefined as never, 0).remaining).toBe(7);
  });
});
