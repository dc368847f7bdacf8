import { manualClock } from "tollgate/testing";
import { describe, expect, it, vi } from "vitest";
import { call as request } from "../support/call.ts";
import { JSON_BODY } from "../support/json-body.ts";
import { limitsFile } from "../support/limits-file.ts";
import { startTestService } from "../support/test-service.ts";

const LIMITS = `
version: 1
domains:
  api:
    limits:
      client: { by: ip, rate: 3/1m }
      login: { match: { method: POST, path: /login }, by: ip, within: 1/15m }
      tokens: { match: { path: /chat }, by: header.x-api-key, rate: { tokens: 100/1m }, cost: { tokens: 40 } }
      streams: { match: { path: /stream }, by: ip, inflight: { max: 1, ttl: 1m } }
`;

type Body = Readonly<Record<string, unknown>>;

async function startApi() {
  const clock = manualClock();
  const file = await limitsFile(LIMITS);
  const service = await startTestService({ application: file.application, clock });
  const post = (body: string) => fetch(`${service.url}/v1/decide`, { method: "POST", headers: JSON_BODY, body });
  const decide = async (call: Body): Promise<Body> => {
    const response = await post(JSON.stringify({ domain: "api", ...call }));
    return { status: response.status, ...((await response.json()) as Body) };
  };
  /** A verb without a domain. */
  const bare = async (call: Body): Promise<Body> => {
    const response = await post(JSON.stringify(call));
    return { status: response.status, ...((await response.json()) as Body) };
  };
  return { ...service, ...file, clock, post, decide, bare };
}

const ANN = { ip: "192.0.2.1" };

describe("POST /v1/decide", () => {
  it("decides by all rules that match, and tells the decision", async () => {
    const { decide } = await startApi();
    const facts = { ...ANN, method: "POST", path: "/login" };
    expect(await decide({ facts })).toEqual({
      status: 200,
      allowed: true,
      limiter: "api/login",
      limit: "login.within",
      remaining: 0,
      retryAfterMs: 900_000,
      resetMs: 900_000,
    });
    expect(await decide({ facts })).toMatchObject({
      allowed: false,
      limiter: "api/login",
      reason: "exhausted",
      violated: ["login.within"],
      retryAfterMs: 900_000,
    });
    // The denial took nothing from the other rule.
    expect(await decide({ facts: ANN })).toMatchObject({ allowed: true, limiter: "api/client", remaining: 1 });
  });

  it("has the RateLimit headers of a single call, and Retry-After after a denial", async () => {
    const { post } = await startApi();
    const body = JSON.stringify({ domain: "api", facts: ANN });
    const first = await post(body);
    expect(first.headers.get("ratelimit-policy")).toBe('"client.rate";q=3;w=60');
    expect(first.headers.get("ratelimit")).toMatch(/^"client.rate";r=2;t=\d+$/);
    expect(first.headers.get("cache-control")).toBe("no-store");
    await post(body);
    await post(body);
    expect((await post(body)).headers.get("retry-after")).toBe("20");
  });

  it("peeks, charges and refunds", async () => {
    const { decide } = await startApi();
    expect(await decide({ verb: "peek", facts: ANN, cost: 3 })).toMatchObject({ allowed: true, remaining: 0 });
    expect(await decide({ verb: "charge", facts: ANN, cost: 5 })).toMatchObject({ allowed: false });
    expect(await decide({ verb: "peek", facts: ANN })).toMatchObject({ allowed: false, retryAfterMs: 60_000 });
    expect(await decide({ verb: "refund", facts: ANN, cost: 5 })).toEqual({ status: 200 });
    expect(await decide({ facts: ANN })).toMatchObject({ remaining: 2 });
  });

  it("counts a request with several lines of a header under the key that these share", async () => {
    const { decide } = await startApi();
    const ask = (header: object) => decide({ facts: { path: "/chat", header } });
    expect(await ask({ "x-api-key": ["ann", "x1"] })).toMatchObject({ remaining: 60 });
    expect(await ask({ "X-API-Key": "ann", "x-api-key": "x2" })).toMatchObject({ remaining: 20 });
    expect(await ask({ "x-api-key": ["", "x3"] })).toMatchObject({ allowed: false });
    expect(await ask({ "x-api-key": ["ann"] })).toMatchObject({ allowed: true });
  });

  it("reserves by an estimate, and settles or cancels once", async () => {
    const { decide, bare } = await startApi();
    const facts = { path: "/chat", header: { "X-API-Key": "ann" } };
    const first = await decide({ verb: "reserve", facts });
    expect(first).toMatchObject({ allowed: true, remaining: 60, reservation: expect.stringMatching(/^[\w-]{22}$/) });
    const { reservation } = first;
    expect(await bare({ verb: "settle", reservation, cost: { tokens: 10 } })).toEqual({ status: 200 });
    expect(await bare({ verb: "settle", reservation, cost: { tokens: 10 } })).toMatchObject({ status: 404 });
    expect(await decide({ verb: "peek", facts, cost: { tokens: 91 } })).toMatchObject({ allowed: false });
    const second = await decide({ verb: "reserve", facts, cost: { tokens: 90 } });
    expect(await decide({ verb: "reserve", facts })).toMatchObject({ allowed: false });
    expect(await bare({ verb: "cancel", reservation: second["reservation"] })).toEqual({ status: 200 });
    expect(await decide({ verb: "reserve", facts, cost: { tokens: 90 } })).toMatchObject({ allowed: true });
  });

  it.each([{ tokenz: 10 }, { tokens: -1 }, { tokens: 1.5 }])(
    "keeps a reservation open whose cost %j is refused",
    async (cost) => {
      const { decide, bare } = await startApi();
      const facts = { path: "/chat", header: { "X-API-Key": "ann" } };
      const { reservation } = await decide({ verb: "reserve", facts });
      expect(await bare({ verb: "settle", reservation, cost })).toMatchObject({ status: 400, code: "ERR_COST" });
      expect(await bare({ verb: "settle", reservation, cost: { tokens: 10 } })).toEqual({ status: 200 });
      expect(await decide({ verb: "peek", facts, cost: { tokens: 90 } })).toMatchObject({ allowed: true });
    },
  );

  it.each(["consume", "peek", "charge", "refund", "reserve"])(
    "refuses a unit that is misspelt, in %s",
    async (verb) => {
      const { decide } = await startApi();
      const misspelt = await decide({ verb, facts: { path: "/chat" }, cost: { requests: 1, tokenz: 5 } });
      expect(misspelt).toMatchObject({ status: 400, code: "ERR_COST", error: expect.stringContaining('"tokens"') });
      // A rule that counts the unit need not match.
      expect((await decide({ verb, facts: ANN, cost: { requests: 1, tokens: 5 } }))["status"]).toBe(200);
    },
  );

  it("holds places of inflight between reserve and settle, and only there", async () => {
    const { decide, bare } = await startApi();
    const facts = { ...ANN, path: "/stream" };
    const { reservation } = await decide({ verb: "reserve", facts });
    expect(await decide({ verb: "reserve", facts })).toMatchObject({ allowed: false, limiter: "api/streams" });
    expect(await bare({ verb: "settle", reservation, cost: 1 })).toEqual({ status: 200 });
    expect(await decide({ verb: "reserve", facts })).toMatchObject({ allowed: true });
    expect(await decide({ verb: "consume", facts })).toMatchObject({ status: 400, code: "ERR_LIMITS" });
  });

  it("forgets a reservation after ten minutes: it counts as it was estimated", async () => {
    const { decide, bare, clock } = await startApi();
    const { reservation } = await decide({ verb: "reserve", facts: ANN });
    clock.advance(600_000);
    expect(await bare({ verb: "cancel", reservation })).toMatchObject({ status: 404 });
  });

  it("blocks, unblocks and resets", async () => {
    const { decide } = await startApi();
    expect(await decide({ verb: "block", facts: ANN, for: "10m", reason: "abuse" })).toEqual({ status: 200 });
    expect(await decide({ facts: ANN })).toMatchObject({
      allowed: false,
      reason: "blocked",
      block: { endsInMs: 600_000, reason: "abuse" },
    });
    expect(await decide({ verb: "unblock", facts: ANN })).toEqual({ status: 200, wasBlocked: true });
    expect(await decide({ verb: "unblock", facts: ANN })).toEqual({ status: 200, wasBlocked: false });
    for (let i = 0; i < 3; i += 1) await decide({ facts: ANN });
    expect(await decide({ verb: "reset", facts: ANN })).toEqual({ status: 200 });
    expect(await decide({ facts: ANN })).toMatchObject({ remaining: 2 });
  });

  it("carries a batch out in order, each call for itself", async () => {
    const { bare } = await startApi();
    const call = { domain: "api", facts: ANN };
    const answer = await bare({ requests: [call, call, { ...call, domain: "nowhere" }, call, call] });
    const results = answer["results"] as Body[];
    expect(results.map(({ allowed, code }) => allowed ?? code)).toEqual([true, true, "ERR_OPTION", true, false]);
  });

  it("takes a change of the file, and keeps what was counted", async () => {
    const { decide, write, log } = await startApi();
    await decide({ facts: ANN, cost: 3 });
    expect(await decide({ facts: ANN })).toMatchObject({ allowed: false });
    await write(LIMITS.replace("rate: 3/1m", "rate: 5/1m"));
    await vi.waitFor(() => expect(log.join("\n")).toContain("limits loaded from"));
    expect(await decide({ facts: ANN })).toMatchObject({ allowed: true, remaining: 1 });
  });
});

describe("a malformed body of /v1/decide", () => {
  it.each([
    ["", "body: expected JSON"],
    ['{"domain":"api","verb":"take"}', "request.verb: expected one of consume, peek"],
    ['{"domain":"api","facts":{"address":"x"}}', "request.facts: expected only ip, method"],
    [
      '{"domain":"api","facts":{"header":{"a":1}}}',
      "request.facts.header.a: expected a text, or a list of texts, got 1",
    ],
    ['{"domain":"api","facts":{"header":{"a":["b",1]}}}', "request.facts.header.a[1]: expected a text, got 1"],
    ['{"verb":"charge","domain":"api"}', "request.cost: expected a number"],
    ['{"verb":"block","domain":"api"}', "request: expected either for or until"],
    ['{"requests":[{"domain":"api"},{"domain":1}]}', "requests[1].domain: expected a text, got 1"],
    [JSON.stringify({ requests: Array.from({ length: 101 }, () => ({ domain: "api" })) }), "a list of 1 to 100 calls"],
    ['{"domain":"api","facts":{"__proto__":{}}}', "request.facts: expected only"],
  ])("is refused: %.60s", async (body, message) => {
    const { post, decide } = await startApi();
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(((await response.json()) as { error: string }).error).toContain(message);
    expect(await decide({ verb: "peek", facts: ANN, cost: 3 })).toMatchObject({ allowed: true });
  });

  it("is refused if it is too long", async () => {
    const { post } = await startApi();
    expect((await post(" ".repeat(600_000))).status).toBe(413);
  });
});

describe("the service over limits files", () => {
  it("does not start with mistakes, and tells all of them", async () => {
    const file = await limitsFile(
      "version: 1\ndomains:\n  api:\n    limits:\n      a: { by: ip, rat: 1/1m }\n      b: 3\n",
    );
    const started = startTestService({ application: file.application });
    await expect(started).rejects.toThrow(/limits\.yaml:5:\d+: .*did you mean "rate"\?\n.*limits\.yaml:6:/s);
  });

  it("does not start with --shadow, which is for Envoy's files", async () => {
    const { application } = await limitsFile(LIMITS);
    const shadow = startTestService({ application: { ...application, shadow: true } });
    await expect(shadow).rejects.toThrow("a rule has mode: shadow");
  });
});

describe("web pages", () => {
  const call = JSON.stringify({ domain: "api", verb: "block", facts: ANN, for: "1h" });
  const json = { "content-type": "application/json" };

  it.each<[Record<string, string>, number]>([
    [{ "content-type": "text/plain" }, 415],
    [{ "content-type": "application/x-www-form-urlencoded" }, 415],
    [{ "content-type": "application/json; charset=latin1" }, 415],
    [{ ...json, origin: "http://evil.example" }, 403],
    // Its name resolves to this machine: the request is of its own origin.
    [{ ...json, origin: "http://evil.example", "sec-fetch-site": "same-origin" }, 403],
    [{ ...json, "sec-fetch-site": "cross-site" }, 403],
    [{ "content-type": "Application/JSON; charset=UTF-8" }, 200],
  ])("cannot decide: %j", async (headers, status) => {
    const { url, decide } = await startApi();
    expect((await request(`${url}/v1/decide`, { method: "POST", headers, body: call })).status).toBe(status);
    expect(await decide({ facts: ANN })).toMatchObject({ allowed: status !== 200 });
    expect((await request(`${url}/json`, { method: "POST", headers, body: "{}" })).status).toBe(
      status === 200 ? 400 : status,
    );
  });
});
