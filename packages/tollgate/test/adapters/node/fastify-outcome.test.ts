import { once } from "node:events";
import { connect as connectHttp2, constants } from "node:http2";
import type { AddressInfo } from "node:net";
import { type FastifyRequest, fastify } from "fastify";
import { type Outcome, rateLimit } from "tollgate/fastify";
import { describe, expect, it, onTestFinished } from "vitest";
import { left } from "../suite/case.ts";
import { breakOff, send, sendHttp2 } from "../suite/client.ts";
import { until } from "../suite/until.ts";
import { bucketLimiter, limitedApp, listen } from "./fastify-apps.ts";

describe("chargeAfter behind Fastify", () => {
  const recorded = () => {
    const outcomes: Outcome[] = [];
    const chargeAfter = (_request: unknown, outcome: Outcome) => outcomes.push(outcome);
    return { outcomes, chargeAfter, cost: 0 };
  };

  it("is called once for a hijacked reply, whole or broken off", async () => {
    const { outcomes, ...options } = recorded();
    const app = await limitedApp({ limiter: bucketLimiter(9), ...options });
    app.get("/whole", (_request, reply) => void reply.hijack().raw.end("hijacked"));
    app.get("/part", (_request, reply) => void reply.hijack().raw.write("hi"));
    const url = await listen(app);
    expect((await send(`${url}/whole`)).body).toBe("hijacked");
    await breakOff(`${url}/part`, "first bytes");
    await until(() => outcomes.length === 2, "both are told");
    await send(url);
    await until(() => outcomes.length === 3, "the third is told");
    expect(outcomes).toEqual([
      { status: 200, bytes: 8, completed: true },
      { status: 200, bytes: 2, completed: false },
      { status: 200, bytes: 5, completed: true },
    ]);
  });

  it("is called for responses of inject, HEAD included", async () => {
    const { outcomes, ...options } = recorded();
    const app = await limitedApp({ limiter: bucketLimiter(9), ...options });
    for (const method of ["GET", "HEAD"] as const) await app.inject({ method, url: "/" });
    await until(() => outcomes.length === 2, "both are told");
    expect(outcomes).toEqual([
      { status: 200, bytes: 5, completed: true },
      { status: 200, bytes: 0, completed: true },
    ]);
  });
});

describe("Fastify over HTTP/2", () => {
  it("limits requests, sends headers and settles once", async () => {
    const app = fastify({ http2: true });
    onTestFinished(() => app.close());
    const outcomes: Outcome[] = [];
    const chargeAfter = (_request: FastifyRequest, outcome: Outcome) => {
      outcomes.push(outcome);
      return outcome.completed ? 1 : 0;
    };
    const limiter = bucketLimiter(4);
    await app.register(rateLimit, { limiter, chargeAfter });
    app.get("/", async (request) => String(request.rateLimit?.remaining));
    app.get("/big", async () => "x".repeat(200_000));
    const begun: string[] = [];
    app.get("/hang", () => void begun.push("/hang"));
    // More than a client takes that reads nothing.
    app.get("/whole", (_request, reply) => {
      reply.hijack().raw.end("x".repeat(1_000_000));
      begun.push("/whole");
    });
    await app.ready();
    await once(app.server.listen(0, "127.0.0.1"), "listening");
    const session = connectHttp2(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`);
    expect(await sendHttp2(session, "/")).toMatchObject({
      status: 200,
      body: "3",
      headers: { "ratelimit-policy": '"bucket";q=4;w=4' },
    });
    expect((await sendHttp2(session, "/big")).body.length).toBe(200_000);
    for (const path of ["/hang", "/whole"]) {
      const stream = session.request({ ":path": path });
      stream.on("error", () => {});
      await until(() => begun.includes(path), `${path} is handled`);
      stream.close(constants.NGHTTP2_CANCEL);
    }
    await until(() => outcomes.length === 3, "the one that was answered is told");
    const denied = await sendHttp2(session, "/");
    expect([denied.status, denied.headers["retry-after"]]).toEqual([429, "1"]);
    expect(denied.body).toBe('{"error":"rate limit exceeded","retry_after_secs":1}');
    session.close();
    expect(outcomes.slice(0, 4)).toEqual([
      { status: 200, bytes: 1, completed: true },
      { status: 200, bytes: 200_000, completed: true },
      { status: 200, bytes: 1_000_000, completed: false },
    ]);
    expect(left(limiter)).toBe(0);
  });
});
