import { once } from "node:events";
import { constants } from "node:http2";
import type { MiddlewareHandler } from "hono";
import { createLimiter } from "tollgate";
import type { HttpFacts } from "tollgate/hono";
import { describe, expect, it } from "vitest";
import { AsyncTwin } from "../../testing/async-twin.ts";
import { bucketOf, left, perAddress, recorder } from "../suite/case.ts";
import { sendHttp2 } from "../suite/client.ts";
import { until } from "../suite/until.ts";
import { bucketLimiter, limitedApp, sessionWithApp } from "./hono-apps.ts";

describe("chargeAfter behind Hono", () => {
  const recorded = () => {
    const { outcomes, chargeAfter } = recorder();
    return { outcomes, app: limitedApp({ limiter: bucketLimiter(99), chargeAfter }) };
  };
  const tick = () => new Promise((resolve) => setTimeout(resolve, 10));

  it("is called without a server when the body is read, cancelled or missing", async () => {
    const { app, outcomes } = recorded();
    app.get("/none", (context) => context.body(null, 204));
    await (await app.request("/")).text();
    await (await app.request("/")).body?.cancel();
    await app.request("/none");
    await app.request("/", { method: "HEAD" });
    await tick();
    expect(outcomes).toEqual([
      { status: 200, bytes: 5, completed: true },
      { status: 200, bytes: 0, completed: false },
      { status: 204, bytes: 0, completed: true },
      { status: 200, bytes: 0, completed: true },
    ]);
  });

  it("is called once without a server if the client leaves before the response", async () => {
    const { app, outcomes } = recorded();
    const controller = new AbortController();
    app.get("/slow", async (context) => {
      controller.abort();
      await tick();
      expect(outcomes).toEqual([]);
      return context.text("too late", 202);
    });
    await (await app.request("/slow", { signal: controller.signal })).text();
    await tick();
    expect(outcomes).toEqual([{ status: 202, bytes: 0, completed: false }]);
  });

  it("is called once without a server if no handler answers, or one throws no error", async () => {
    const { app, outcomes } = recorded();
    app.get("/nothing", (() => undefined) as unknown as MiddlewareHandler);
    app.get("/none", () => Promise.reject("no error"));
    const answer = await app.request("/nothing");
    expect([answer.status, answer.headers.get("ratelimit")]).toEqual([500, '"bucket";r=98;t=1']);
    await expect(Promise.resolve(app.request("/none"))).rejects.toBe("no error");
    await tick();
    expect(outcomes).toEqual([1, 2].map(() => ({ status: 500, bytes: 0, completed: false })));
  });

  it("has a Worker wait until the request is settled", async () => {
    const limiter = createLimiter({ name: "far", key: perAddress, limits: [bucketOf(5)], store: new AsyncTwin() });
    const app = limitedApp({ limiter, chargeAfter: () => 0, remoteAddress: () => "127.0.0.1" });
    const tasks: Promise<unknown>[] = [];
    const executionContext = {
      waitUntil: (task: Promise<unknown>) => tasks.push(task),
      passThroughOnException: () => {},
      props: {},
    };
    expect(await (await app.request("/", {}, {}, executionContext)).text()).toBe("hello");
    expect(tasks).toHaveLength(1);
    await tasks[0];
    expect((await limiter.peek({ remoteAddress: "127.0.0.1" } as HttpFacts, 0)).remaining).toBe(5);
  });
});

describe("Hono over HTTP/2", () => {
  it("limits requests, sends headers and settles once", async () => {
    const { outcomes, chargeAfter } = recorder(({ completed }) => (completed ? 1 : 0));
    const limiter = bucketLimiter(4);
    const app = limitedApp({ limiter, chargeAfter });
    // More than a client takes that reads nothing.
    app.get("/big", (context) => context.text("x".repeat(1_000_000)));
    app.get(
      "/part",
      () => new Response(new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from("hi")) })),
    );
    let isHanging = false;
    app.get("/hang", () => {
      isHanging = true;
      return new Promise<Response>(() => {});
    });
    const session = await sessionWithApp(app);
    expect(await sendHttp2(session, "/")).toMatchObject({
      status: 200,
      body: "hello",
      headers: { ratelimit: '"bucket";r=3;t=1' },
    });
    for (const [path, event] of [
      ["/part", "data"],
      ["/big", "response"],
      ["/hang", ""],
    ] as const) {
      const stream = session.request({ ":path": path });
      stream.on("error", () => {});
      await (path === "/hang" ? until(() => isHanging, "/hang is handled") : once(stream, event));
      stream.close(constants.NGHTTP2_CANCEL);
    }
    await until(() => outcomes.length === 3, "those are told that were answered");
    expect([left(limiter), (await sendHttp2(session, "/")).status]).toEqual([0, 429]);
    expect(outcomes.slice(0, 4)).toEqual([
      { status: 200, bytes: 5, completed: true },
      { status: 200, bytes: 2, completed: false },
      { status: 200, bytes: 1_000_000, completed: false },
    ]);
  });
});
