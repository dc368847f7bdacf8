import { EventEmitter, once } from "node:events";
import { type ClientHttp2Session, createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import Koa, { type Context } from "koa";
import { createLimiter, perMinute } from "tollgate";
import { factsOf, type Outcome, rateLimit } from "tollgate/koa";
import { describe, expect, it, onTestFinished } from "vitest";
import { AsyncTwin } from "../../testing/async-twin.ts";
import { bucketOf, left, manualLimiter, perAddress } from "../suite/case.ts";
import { connectHttp2, sendHttp2 } from "../suite/client.ts";
import { until } from "../suite/until.ts";

/** An application whose store answers when it is told to. */
function slowlyAsked() {
  const store = new AsyncTwin();
  const limiter = createLimiter({ name: "far", key: perAddress, limits: [perMinute(10)], store });
  const events = new EventEmitter();
  const reached: string[] = [];
  const outcomes: Outcome[] = [];
  const app = new Koa();
  const input = (context: Context) => {
    context.res.on("close", () => events.emit("gone"));
    events.emit("asked");
    return factsOf(context);
  };
  const chargeAfter = (_context: Context, outcome: Outcome) => {
    outcomes.push(outcome);
    return 0;
  };
  app.use(rateLimit({ limiter, input, chargeAfter }));
  app.use((context) => {
    reached.push(context.path);
    context.body = "there";
  });
  return { events, reached, outcomes, answer: store.hold(), app };
}

describe("koa over HTTP/2", () => {
  async function connected(app: Koa): Promise<ClientHttp2Session> {
    const callback = app.callback();
    const server = createServer((request, response) => void callback(request, response));
    await once(server.listen(0, "127.0.0.1"), "listening");
    const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    onTestFinished(() => {
      session.destroy();
      server.close();
    });
    return session;
  }

  it("sends the same headers and body as over HTTP/1", async () => {
    const app = new Koa();
    app.use(rateLimit({ limiter: manualLimiter([bucketOf(1)]).limiter }));
    app.use((context) => {
      context.body = "hello";
    });
    const session = await connected(app);
    const passed = await sendHttp2(session, "/ok?a=b");
    expect([passed.status, passed.body, passed.headers["ratelimit"]]).toEqual([200, "hello", '"bucket";r=0;t=1']);
    const denied = await sendHttp2(session, "/ok");
    expect([denied.status, denied.headers["retry-after"], denied.headers["cache-control"]]).toEqual([
      429,
      "1",
      "no-store",
    ]);
    expect(denied.body).toBe('{"error":"rate limit exceeded","retry_after_secs":1}');
  });

  it("settles once, whether a response was sent whole or broken off", async () => {
    const outcomes: Outcome[] = [];
    const { limiter } = manualLimiter([bucketOf(10)]);
    const chargeAfter = (_context: Context, outcome: Outcome) => {
      outcomes.push(outcome);
      return outcome.completed ? 3 : 0;
    };
    const app = new Koa();
    app.silent = true;
    app.use(rateLimit({ limiter, chargeAfter }));
    app.use(async (context) => {
      if (context.path === "/ok") {
        context.body = "hello";
        return;
      }
      context.respond = false;
      context.status = 200;
      context.res.write("the first bytes");
      await once(context.res, "close");
    });
    const session = await connected(app);
    await sendHttp2(session, "/ok");
    await until(() => outcomes.length === 1, "the whole one is settled");
    const stream = session.request({ ":path": "/broken" });
    stream.on("error", () => {});
    stream.once("data", () => stream.close(8));
    await until(() => outcomes.length === 2, "the broken one is settled");
    expect(outcomes).toEqual([
      { status: 200, bytes: 5, completed: true },
      { status: 200, bytes: 15, completed: false },
    ]);
    await until(() => left(limiter) === 6, "the whole one is charged, the broken one keeps what it took");
  });

  it("calls no handler for a client that leaves while the store decides, but settles", async () => {
    const { events, reached, outcomes, answer, app } = slowlyAsked();
    const session = await connected(app);
    const asked = once(events, "asked");
    const stream = session.request({ ":path": "/gone" });
    stream.on("error", () => {});
    await asked;
    const gone = once(events, "gone");
    stream.close(8);
    await gone;
    answer();
    await until(() => outcomes.length === 1, "it is settled");
    await sendHttp2(session, "/there");
    expect(reached).toEqual(["/there"]);
    expect(outcomes[0]).toEqual({ status: 0, bytes: 0, completed: false });
  });
});
