import { expect } from "vitest";
import { breakOff, send, statuses } from "../../packages/tollgate/test/adapters/suite/client.ts";
import { settled, told, upgrade, withUpstream } from "./asking.ts";

/** Creates an instance of a scenario and returns its URL. */
export type Instance = (scenario: string) => string;

export interface RuntimeCase {
  readonly name: string;
  readonly run: (instance: Instance) => Promise<void>;
}

/** Requests responses that the handler fetches from another server and returns unchanged. */
function fetched(url: string): Promise<void> {
  return withUpstream(async (upstream) => {
    for (const [status, body] of [
      [200, "from upstream"],
      [404, ""],
      [204, ""],
      [304, ""],
    ] as const) {
      const answer = await send(`${url}/fetched?from=${upstream}/${status}`);
      expect([answer.status, answer.body, answer.headers["x-upstream"]]).toEqual([status, body, "yes"]);
      expect(answer.headers["ratelimit"]).toMatch(/^"slow";r=99\d;/);
    }
  });
}

/** Sends five successes, whose cost is refunded, and as many failures as the limit admits. */
async function givenBack(url: string): Promise<void> {
  for (let i = 1; i <= 5; i += 1) {
    expect((await send(`${url}/ok`)).status).toBe(200);
    await settled(url, i, 0);
  }
  for (let i = 1; i <= 3; i += 1) {
    expect((await send(`${url}/status/401`)).status).toBe(401);
    await settled(url, 5 + i, i);
  }
  expect((await send(`${url}/ok`)).status).toBe(429);
}

/** Sends requests that wait, each once the one before has arrived. The second one's client leaves. */
async function waiting(url: string): Promise<void> {
  const leaving = new AbortController();
  const ended: number[] = [];
  const ask = async (i: number): Promise<number> => {
    const { status } = await fetch(`${url}/ok`, i === 1 ? { signal: leaving.signal } : {});
    ended.push(i);
    return status;
  };
  expect(await ask(0)).toBe(200);
  const gone = ask(1).catch((error: unknown) => (error as Error).name);
  const others = [2, 3, 4].map((i) => ask(i));
  // The first turn comes after 500 ms: by then the client has left, also from a busy machine.
  await new Promise((resolve) => setTimeout(resolve, 50));
  leaving.abort();
  expect([await gone, ...(await Promise.all(others))]).toEqual(["AbortError", 200, 200, 200]);
  expect(await ask(5)).toBe(200);
  expect([...ended].sort((a, b) => a - b)).toEqual([0, 2, 3, 4, 5]);
}

export const CASES: readonly RuntimeCase[] = [
  {
    name: "admits requests up to the limit, then denies with the time to retry",
    run: async (instance) => {
      const url = instance("few");
      const passed = await send(`${url}/ok`);
      expect([passed.status, passed.body, passed.headers["retry-after"]]).toEqual([200, "hello", undefined]);
      expect(passed.headers["ratelimit-policy"]).toBe('"slow";q=3;w=10800');
      expect(passed.headers["ratelimit"]).toMatch(/^"slow";r=2;t=3\d{3}$/);
      expect(await statuses(`${url}/ok`, 3)).toEqual([200, 200, 429]);
      const denied = await send(`${url}/ok`);
      const seconds = Number(denied.headers["retry-after"]);
      expect(seconds).toBeGreaterThan(3_500);
      expect(seconds).toBeLessThanOrEqual(3_600);
      expect(denied.body).toBe(`{"error":"rate limit exceeded","retry_after_secs":${seconds}}`);
      expect(denied.headers).toMatchObject({
        "cache-control": "no-store",
        "content-type": "application/json; charset=utf-8",
        ratelimit: `"slow";r=0;t=${seconds}`,
      });
    },
  },
  {
    name: "admits again after the refill time, by the clock of the runtime",
    run: async (instance) => {
      const url = instance("quick");
      expect((await send(`${url}/ok`)).status).toBe(200);
      expect((await send(`${url}/ok`)).status).toBe(429);
      await new Promise((resolve) => setTimeout(resolve, 1_010));
      expect((await send(`${url}/ok`)).status).toBe(200);
    },
  },
  {
    name: "lets requests wait for their turns, also when a client that waits leaves",
    run: (instance) => waiting(instance("waits")),
  },
  {
    name: "answers each of a crowd that waits, whichever request's timer comes first",
    run: async (instance) => {
      const url = instance("crowds");
      const answers = await Promise.all(Array.from({ length: 60 }, () => send(`${url}/ok`)));
      expect(answers.map(({ status, body }) => `${status} ${body}`)).toEqual(new Array(60).fill("200 hello"));
    },
  },
  {
    name: "answers HEAD with the headers and no body",
    run: async (instance) => {
      const url = instance("few");
      const { status, headers, body } = await send(`${url}/ok`, { method: "HEAD" });
      expect([status, body]).toEqual([200, ""]);
      expect(headers["ratelimit"]).toMatch(/^"slow";r=2;/);
      await statuses(`${url}/ok`, 2);
      const denied = await send(`${url}/ok`, { method: "HEAD" });
      expect([denied.status, denied.body]).toEqual([429, ""]);
      expect(Number(denied.headers["retry-after"])).toBeGreaterThan(3_500);
    },
  },
  {
    name: "gives each request headers of its own on a response that the handler reuses",
    run: async (instance) => {
      for (const [scenario, count] of [
        ["few", 3],
        ["later", 10],
        ["failures", 3],
      ] as const) {
        const url = instance(scenario);
        for (let left = count - 1; left >= count - 2; left -= 1) {
          const { status, headers } = await send(`${url}/kept`);
          expect(status).toBe(204);
          const remaining = scenario === "failures" ? count - 1 : left;
          expect(headers["ratelimit"]).toMatch(new RegExp(`^"slow";r=${remaining};`));
        }
      }
    },
  },
  {
    name: "follows onError when a function throws",
    run: async (instance) => {
      expect((await send(`${instance("throws")}/ok`)).status).toBe(500);
      const allows = instance("allows");
      const passed = await send(`${allows}/ok`);
      expect([passed.status, passed.body, passed.headers["ratelimit"]]).toEqual([200, "hello", undefined]);
      const denies = instance("denies");
      const denied = await send(`${denies}/ok`);
      expect([denied.status, denied.body]).toEqual([503, '{"error":"service unavailable"}']);
      for (const url of [allows, denies]) expect((await told(url)).reported).toEqual(["Error: the secret inside"]);
    },
  },
  {
    name: "leaves errors of the handler to the runtime, and counts the requests",
    run: async (instance) => {
      const url = instance("few");
      expect(await statuses(`${url}/throw`, 3)).toEqual([500, 500, 500]);
      expect((await send(`${url}/ok`)).status).toBe(429);
    },
  },
  {
    name: "admits exactly 10 of 50 requests at once under an asynchronous limiter",
    run: async (instance) => {
      const url = instance("later");
      const answers = await Promise.all(Array.from({ length: 50 }, () => send(`${url}/ok`)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(40);
    },
  },
  {
    name: "passes the decision to the handler",
    run: async (instance) => {
      const { body } = await send(`${instance("ten")}/decision`);
      expect(JSON.parse(body)).toEqual({ remaining: 9, limit: "slow" });
    },
  },
  {
    name: "adds the headers to redirects, whose own headers are immutable",
    run: async (instance) => {
      const { status, headers, body } = await send(`${instance("ample")}/redirect`);
      expect([status, headers["location"], body]).toEqual([307, "http://there.example/", ""]);
      expect(headers["ratelimit"]).toMatch(/^"slow";r=999;/);
      const url = instance("redirects");
      const answers = [await send(`${url}/ok`), await send(`${url}/ok`)];
      expect(answers.map((answer) => answer.status)).toEqual([200, 303]);
      expect(answers[1]?.headers["location"]).toBe("http://wait.example/");
      expect(Number(answers[1]?.headers["retry-after"])).toBeGreaterThan(3_500);
    },
  },
  ...["ample", "outcomes"].map((scenario) => ({
    name: `adds the headers to fetched responses, whose own headers are immutable (${scenario})`,
    run: (instance: Instance) => fetched(instance(scenario)),
  })),
  {
    name: "adds the headers to responses that may have no body",
    run: async (instance) => {
      const url = instance("outcomes");
      for (const status of [204, 304]) {
        const answer = await send(`${url}/status/${status}`);
        expect([answer.status, answer.body]).toEqual([status, ""]);
        expect(answer.headers["ratelimit"]).toMatch(/^"slow";r=99\d;/);
      }
      expect(await settled(url, 2)).toEqual([
        { status: 204, bytes: 0, completed: true },
        { status: 304, bytes: 0, completed: true },
      ]);
    },
  },
  {
    name: "lets a handler upgrade a request to a web socket, and counts it",
    run: async (instance) => {
      const url = instance("few");
      expect(await upgrade(`${url}/upgrade`)).toBe(101);
      expect((await told(url)).used).toBe(1);
      const watched = instance("outcomes");
      expect(await upgrade(`${watched}/upgrade`)).toBe(101);
      expect(await settled(watched, 1)).toMatchObject([{ bytes: 0, completed: true }]);
    },
  },
  { name: "refunds the cost of successes", run: (instance) => givenBack(instance("later_failures")) },
  {
    name: "charges by the bytes of a response, into debt",
    run: async (instance) => {
      const url = instance("bytes");
      expect((await send(`${url}/bytes/4000`)).body).toHaveLength(4_000);
      await settled(url, 1, 4_000);
      expect((await send(`${url}/stream/3`)).body).toHaveLength(3_000);
      await settled(url, 2, 7_000);
      expect((await send(`${url}/ok`)).status).toBe(429);
    },
  },
  {
    name: "reports how responses ended: text, a stream, HEAD, an error",
    run: async (instance) => {
      const url = instance("outcomes");
      await send(`${url}/bytes/1234`);
      await send(`${url}/stream/20`);
      await send(`${url}/bytes/500`, { method: "HEAD" });
      await send(`${url}/throw`);
      expect(await settled(url, 4)).toEqual([
        { status: 200, bytes: 1_234, completed: true },
        { status: 200, bytes: 20_000, completed: true },
        { status: 200, bytes: 0, completed: true },
        { status: 500, bytes: 0, completed: false },
      ]);
    },
  },
  {
    name: "reports a stream that its client aborted",
    run: async (instance) => {
      const url = instance("outcomes");
      await breakOff(`${url}/stream/3000`, "first bytes");
      const [outcome] = await settled(url, 1);
      expect(outcome).toMatchObject({ status: 200, completed: false });
      expect(outcome?.bytes).toBeGreaterThan(0);
      expect(outcome?.bytes).toBeLessThan(3_000_000);
    },
  },
  {
    name: "reports a client that left before the response",
    run: async (instance) => {
      const url = instance("outcomes");
      await breakOff(`${url}/hang`, 100);
      expect(await settled(url, 1)).toEqual([{ status: 200, bytes: 0, completed: false }]);
    },
  },
  {
    name: "has the address of the client",
    run: async (instance) => {
      const url = instance("clients");
      expect(JSON.parse((await send(`${url}/client`)).body)).toEqual({ address: "127.0.0.1", key: "127.0.0.1" });
      expect(await statuses(`${url}/ok`, 2)).toEqual([200, 429]);
    },
  },
  {
    name: "takes the address of the client from the header of a trusted proxy",
    run: async (instance) => {
      const url = instance("clients");
      const from = async (address: string) =>
        (await send(`${url}/ok`, { headers: { "CF-Connecting-IP": address } })).status;
      const all: number[] = [];
      for (const address of ["192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2"]) all.push(await from(address));
      expect(all).toEqual([200, 200, 429, 200]);
      const { body } = await send(`${url}/client`, { headers: { "CF-Connecting-IP": "2001:db8::1" } });
      expect(JSON.parse(body)).toEqual({ key: "2001:db8::/64" });
    },
  },
];
