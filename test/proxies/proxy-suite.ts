import { createHash, randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startServing } from "../../packages/server/test/support/command-process.ts";
import { Application } from "./application.ts";
import { type Answer, type CallOptions, CLIENT, call, callRaw } from "./call.ts";
import { PROXIES } from "./documented-proxies.ts";
import { serveInstead, serveLimiter } from "./limiters.ts";
import { type Ports, type RunningProxy, reservePorts, startProxy } from "./proxy.ts";

/** How long the documentation lets a request wait for a limiter that is down. */
const MOST_MS = 250;

/** Two requests, and no third one within a day. */
const TWO = ["--capacity", "2", "--refill", "2/1d"];

/** What every proxy does with the configuration of its page. */
export function describeProxy(name: keyof typeof PROXIES): void {
  describe(`the page of ${name}`, () => {
    const proxy = PROXIES[name];
    let application: Application;
    let ports: Ports & { readonly release: () => void };
    let running: RunningProxy;

    beforeAll(async () => {
      application = await Application.start();
      ports = await reservePorts(application.port);
      running = await startProxy(proxy, ports, proxy.files);
    });
    afterEach(() => {
      application.reached = [];
    });
    afterAll(async () => {
      await running.stop();
      application.stop();
      ports.release();
    });

    const ask = (target = "/", options?: CallOptions) => call(running.url, target, options);
    async function startService() {
      const { command } = await startServing([...TWO, "--port", String(ports.limiter), "--trust-proxy", "127.0.0.1"]);
      // The next test uses the same port.
      onTestFinished(async () => {
        command.kill("SIGKILL");
        await command.exited;
      });
      return command;
    }

    /** Calls until the limiter has answered in time: on a busy machine it may be late, and then requests pass. */
    async function askCounted(target = "/", options?: CallOptions): Promise<Answer> {
      for (let i = 0; i < 50; i += 1) {
        const answer = await ask(target, options);
        if (answer.headers["ratelimit"] !== undefined) return answer;
      }
      throw new Error("the limiter was late 50 times");
    }

    /** Calls until one is denied. There may be more calls than the limit has requests, if the limiter is late. */
    async function untilDenied(options: CallOptions) {
      const answers = [await ask("/a?b", options)];
      while (answers.at(-1)?.status === 200 && answers.length < 50) answers.push(await ask("/a?b", options));
      return { denied: answers.at(-1), passed: answers.slice(0, -1) };
    }

    /** Another proxy with other files in place of the first, for the time of a test. */
    async function restart(files: typeof proxy.files): Promise<void> {
      await running.stop();
      running = await startProxy(proxy, ports, files);
    }

    // Tests of the proxy as it is documented.
    it("passes what is allowed on with the RateLimit headers, and denies the rest with 429", async () => {
      await startService();
      const { denied, passed } = await untilDenied({ headers: { "X-Forwarded-For": "6.6.6.6" } });
      const counted = passed.filter(({ headers }) => headers["ratelimit"] !== undefined);
      expect(counted.length).toBeGreaterThan(0);
      expect(counted.length).toBeLessThanOrEqual(2);
      expect(counted[0]?.body).toBe("application GET /a?b");
      expect(counted[0]?.headers["ratelimit-policy"]).toBe('"2-per-1d";q=2;w=86400');
      expect(counted[0]?.headers["ratelimit"]).toMatch(/^"2-per-1d";r=[01];t=\d+$/);
      expect(denied).toMatchObject({
        status: 429,
        headers: {
          ratelimit: expect.stringMatching(/^"2-per-1d";r=0;t=\d+$/),
          "ratelimit-policy": '"2-per-1d";q=2;w=86400',
          "retry-after": expect.stringMatching(/^\d+$/),
          "content-type": expect.stringMatching(/^application\/json/),
          "cache-control": "no-store",
        },
      });
      expect(JSON.parse(denied?.body ?? "")).toEqual({
        error: "rate limit exceeded",
        retry_after_secs: Number(denied?.headers["retry-after"]),
      });
      expect(application.reached).toHaveLength(passed.length);
      // Another client, and an API key of this one.
      expect((await ask("/", { localAddress: "127.0.0.3" })).status).toBe(200);
      expect((await ask("/", { headers: { "X-API-Key": "k-1" } })).status).toBe(200);
    });

    it("lets requests pass when the limiter is killed or frozen, and limits them when it is back", async () => {
      const command = await startService();
      await untilDenied({});
      command.kill("SIGSTOP");
      await expectPassing();
      command.kill("SIGCONT");
      expect((await untilDenied({})).denied?.status).toBe(429);
      command.kill("SIGKILL");
      await command.exited;
      await expectPassing();
      await startService();
      expect((await untilDenied({})).denied?.status).toBe(429);
    });

    it("lets requests pass when the limiter does not answer, or fails", async () => {
      await serveInstead(ports.limiter, ({ url, headers }, response) => {
        if (headers["x-forwarded-uri"] === "/fails") response.writeHead(500).end("failed");
        else if (url === undefined) response.end();
      });
      await expectPassing();
      expect(await ask("/fails")).toMatchObject({ status: 200, body: "application GET /fails" });
    });

    /** The quickest of some: others may have waited for a busy machine. */
    async function expectPassing(): Promise<void> {
      const body = Buffer.from("kept");
      application.reached = [];
      const answers: Answer[] = [];
      for (let i = 0; i < 5; i += 1) answers.push(await ask("/passes", { method: "POST", body }));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      expect(application.reached.map((reached) => reached.body.toString())).toEqual(Array(5).fill("kept"));
      expect(Math.min(...answers.map(({ elapsedMs }) => elapsedMs))).toBeLessThan(MOST_MS);
    }

    it("asks about the client's request, and passes its headers on", async () => {
      const { facts, asked } = await serveLimiter(ports.limiter, 10);
      const headers = { Host: "shop.example:8443", "X-API-Key": "k-1" };
      await askCounted("/login,now?a=1&b=%20c", { method: "PUT", headers });
      await askCounted("/", { method: "HEAD" });
      expect(facts[0]).toMatchObject({
        method: "PUT",
        target: "/login,now?a=1&b=%20c",
        host: "shop.example:8443",
        remoteAddress: CLIENT,
      });
      expect(facts[0]?.header("x-api-key")).toBe("k-1");
      expect(facts[0]?.header("x-forwarded-proto")).toBe("http");
      expect(facts.find(({ target }) => target === "/")?.method).toBe("HEAD");
      expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(["GET"]));
      expect(application.reached[0]).toMatchObject({ method: "PUT", url: "/login,now?a=1&b=%20c" });
      expect(application.reached[0]?.headers).toMatchObject({ host: "shop.example:8443", "x-api-key": "k-1" });
    });

    it("passes every line of a header on to the limiter, as to the application", async () => {
      const { facts } = await serveLimiter(ports.limiter, 10);
      for (const lines of [
        ["a", "b"],
        ["", "c"],
      ]) {
        facts.length = 0;
        await askCounted("/", { headers: { "X-API-Key": lines } });
        const seen = facts[0]?.lines?.("x-api-key");
        expect(seen === "dropped" ? seen : seen?.toSorted()).toEqual(lines);
      }
      expect(application.reached[0]?.headers["x-api-key"]).toBe("a, b");
    });

    it("believes nothing that a client forwards", async () => {
      const { facts } = await serveLimiter(ports.limiter, 10);
      const forged = {
        "X-Forwarded-For": "6.6.6.6",
        "X-Forwarded-Method": "GET",
        "X-Forwarded-Uri": "/forged",
        "X-Forwarded-Host": "forged.example",
        "X-Forwarded-Proto": "https",
      };
      const names = Object.keys(forged);
      const truth = { method: "POST", target: "/true", host: "true.example", remoteAddress: CLIENT };
      const host = { Host: "true.example" };
      await askCounted("/true", { method: "POST", headers: { ...forged, ...host } });
      // Headers that a connection names are for the next hop only.
      await askCounted("/true", { method: "POST", headers: { ...forged, ...host, Connection: `close, ${names}` } });
      expect(facts.length).toBeGreaterThanOrEqual(2);
      for (const fact of facts) expect(fact).toMatchObject(truth);
      for (const fact of facts) expect(fact.header("x-forwarded-proto")).toBe("http");
    });

    it("passes a body on, and neither it nor its length to the limiter", async () => {
      const seen = await serveLimiter(ports.limiter, 10);
      const body = randomBytes(1_000_000);
      const digest = (bytes: Buffer | undefined) =>
        createHash("sha256")
          .update(bytes ?? "")
          .digest("hex");
      for (const headers of [{}, { Expect: "100-continue" }, { "Transfer-Encoding": "chunked" }]) {
        application.reached = [];
        expect((await askCounted("/upload", { method: "POST", headers, body })).status).toBe(200);
        expect(new Set(application.reached.map((reached) => digest(reached.body)))).toEqual(new Set([digest(body)]));
      }
      expect(seen.asked.length).toBeGreaterThanOrEqual(3);
      expect(seen.bodyBytes).toBe(0);
      for (const { headers } of seen.asked) expect(headers["content-length"] ?? "0").toBe("0");
    });

    it("keeps its connections to the limiter", async () => {
      const seen = await serveLimiter(ports.limiter, 100);
      const body = Buffer.from("small");
      for (let i = 0; i < 15; i += 1) {
        await askCounted();
        await askCounted("/", { method: "POST", body });
      }
      // A busy machine may make the proxy give some up.
      expect(seen.connections).toBeLessThan(10);
    });

    it("leaves errors of the application alone, and sends it no request twice", async () => {
      await serveLimiter(ports.limiter, 100);
      for (const status of [401, 403, 404, 429, 500, 503]) {
        expect(await askCounted(`/status/${status}`)).toMatchObject({
          status,
          body: `application GET /status/${status}`,
        });
      }
      application.reached = [];
      expect((await ask("/break", { method: "POST", body: Buffer.from("once") })).status).toBe(502);
      expect(application.reached).toHaveLength(1);
    });

    it("lets no odd head past the limiter", async () => {
      const seen = await serveLimiter(ports.limiter, 1);
      const odd = [
        "X-API-Key: a\u0001b",
        "X-API-Key: \u00ff",
        "X-API-Key: a\r\nX-API-Key: b",
        "Expect: nonsense",
        "Upgrade: websocket",
        "Content-Length: 0\r\nX-Forwarded-Uri: \u0007",
        ...[4_000, 7_900, 12_000, 15_000, 15_800, 30_000, 100_000].flatMap((length) => [
          `X-API-Key: ${"k".repeat(length)}`,
          `X-Forwarded-For: ${"6".repeat(length)}`,
        ]),
      ];
      const heads = [
        ...odd.map((line) => `GET / HTTP/1.1\r\nHost: a\r\n${line}`),
        ...[4_000, 7_900, 12_000, 15_000].map((length) => `GET /${"u".repeat(length)} HTTP/1.1\r\nHost: a`),
      ];
      const uncounted: string[] = [];
      for (const head of heads) {
        const [reached, counted] = [application.reached.length, seen.facts.length];
        await callRaw(running.url, head);
        const passed = application.reached.length - reached;
        if (passed > seen.facts.length - counted) uncounted.push(head);
      }
      expect(uncounted).toEqual([]);
      expect(application.reached.length).toBeGreaterThan(0);
    });

    // Tests that run the proxy with other files: the last ones.
    it("passes the address on that a trusted proxy in front tells", async () => {
      await restart(proxy.chainedFiles);
      const { facts } = await serveLimiter(ports.limiter, 10);
      await askCounted("/", { localAddress: "127.0.0.1", headers: { "X-Forwarded-For": "6.6.6.6, 203.0.113.7" } });
      await askCounted("/", { headers: { "X-Forwarded-For": "6.6.6.6, 203.0.113.7" } });
      expect([facts[0]?.remoteAddress, facts.at(-1)?.remoteAddress]).toEqual(["203.0.113.7", CLIENT]);
    });

    it("denies when the limiter is down, if it has the line for that", async () => {
      await restart(proxy.denyingFiles);
      const command = await startService();
      expect((await untilDeniedOrPassed()).status).toBe(200);
      command.kill("SIGSTOP");
      await expectDenying();
      command.kill("SIGKILL");
      await command.exited;
      await expectDenying();
      await serveInstead(ports.limiter, (_request, response) => void response.writeHead(500).end());
      await expectDenying();
    });

    async function untilDeniedOrPassed() {
      let answer = await ask("/", { headers: { "X-API-Key": "first" } });
      for (let i = 0; i < 50 && answer.status !== 200; i += 1)
        answer = await ask("/", { headers: { "X-API-Key": `${i}` } });
      return answer;
    }

    async function expectDenying(): Promise<void> {
      application.reached = [];
      const answers: Answer[] = [];
      for (let i = 0; i < 3; i += 1) answers.push(await ask());
      for (const { status } of answers) expect([500, 503]).toContain(status);
      expect(application.reached).toEqual([]);
      expect(Math.min(...answers.map(({ elapsedMs }) => elapsedMs))).toBeLessThan(MOST_MS);
    }
  });
}
