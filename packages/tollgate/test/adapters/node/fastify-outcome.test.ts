import { describe, expect, it } from "vitest";
import { recorder } from "../suite/case.ts";
import { breakOff, send } from "../suite/client.ts";
import { until } from "../suite/until.ts";
import { bucketLimiter, limitedApp, listen } from "./fastify-apps.ts";

describe("chargeAfter behind Fastify", () => {
  it("is called once for a hijacked reply, whole or broken off", async () => {
    const { outcomes, chargeAfter } = recorder();
    const app = await limitedApp({ limiter: bucketLimiter(9), chargeAfter });
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
    const { outcomes, chargeAfter } = recorder();
    const app = await limitedApp({ limiter: bucketLimiter(9), chargeAfter });
    for (const method of ["GET", "HEAD"] as const) await app.inject({ method, url: "/" });
    await until(() => outcomes.length === 2, "both are told");
    expect(outcomes).toEqual([
      { status: 200, bytes: 5, completed: true },
      { status: 200, bytes: 0, completed: true },
    ]);
  });
});
