import { setImmediate as nextTurn } from "node:timers/promises";
import { createLimiter, perHour } from "tollgate";
import { rateLimit } from "tollgate/fetch";
import { describe, expect, it } from "vitest";
import { AsyncTwin } from "../../testing/async-twin.ts";

const URL_HERE = "http://here.example/path";

describe("runtimes with waitUntil", () => {
  it("wait until the request is settled over an asynchronous store", async () => {
    const store = new AsyncTwin();
    const limiter = createLimiter({ name: "far", key: () => "everybody", limits: [perHour(9)], store });
    const handle = rateLimit({ limiter, chargeAfter: () => 0 })((_request: Request, ..._others: unknown[]) =>
      Promise.resolve(new Response("hello")),
    );
    const tasks: Promise<unknown>[] = [];
    const context = {
      waitUntil(this: unknown, task: Promise<unknown>) {
        expect(this).toBe(context);
        tasks.push(task);
      },
    };
    const response = await handle(new Request(URL_HERE), { binding: 1 }, context);
    expect(tasks).toHaveLength(1);
    const answer = store.hold();
    let over = false;
    const waited = tasks[0]?.finally(() => {
      over = true;
    });
    await response.text();
    await nextTurn();
    expect(over).toBe(false);
    answer();
    await waited;
    expect((await limiter.peek(undefined as never, 0)).remaining).toBe(9);
  });

  it("are not asked to wait if nothing is to be settled", async () => {
    const limiter = createLimiter({ key: () => "everybody", limits: [perHour(1)] });
    const waitUntil = (): never => {
      throw new Error("never asked");
    };
    const handle = rateLimit({ limiter })((_request: Request, _context: object) => new Response("hello"));
    const statuses: number[] = [];
    for (let i = 0; i < 2; i += 1) statuses.push((await handle(new Request(URL_HERE), { waitUntil })).status);
    expect(statuses).toEqual([200, 429]);
  });
});
