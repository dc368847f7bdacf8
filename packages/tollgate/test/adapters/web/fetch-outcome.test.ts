import { createLimiter, perHour } from "tollgate";
import { type Outcome, rateLimit } from "tollgate/fetch";
import { describe, expect, it } from "vitest";
import { recorder } from "../suite/case.ts";

const URL_HERE = "http://here.example/path";

/** A limiter in front of handlers, and what it was told of their responses. */
function watched(): { limit: ReturnType<typeof rateLimit>; outcomes: Outcome[] } {
  const { outcomes, chargeAfter } = recorder();
  const limiter = createLimiter({ key: () => "everybody", limits: [perHour(9)] });
  return { limit: rateLimit({ limiter, chargeAfter }), outcomes };
}

const aWhile = () => new Promise((resolve) => setTimeout(resolve, 10));
const bytes = (count: number) => new Uint8Array(count);

/** A body of these chunks, which counts how often it was asked for one, and how it was cancelled. */
function source(...chunks: unknown[]): { body: ReadableStream; asked: () => number; cancelled: unknown[] } {
  const cancelled: unknown[] = [];
  let asked = 0;
  const left = [...chunks];
  const body = new ReadableStream(
    {
      pull: (controller) => {
        asked += 1;
        if (left.length === 0) controller.close();
        else controller.enqueue(left.shift());
      },
      cancel: (reason) => void cancelled.push(reason),
    },
    { highWaterMark: 0 },
  );
  return { body, asked: () => asked, cancelled };
}

describe("the outcome of a fetch response", () => {
  it("is known when the whole body has been read, and not before", async () => {
    const { limit, outcomes } = watched();
    const response = await limit(() => new Response(source(bytes(3), bytes(4)).body, { status: 201 }))(
      new Request(URL_HERE),
    );
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    await reader.read();
    expect(outcomes).toEqual([]);
    expect(await reader.read()).toEqual({ done: true, value: undefined });
    expect(outcomes).toEqual([{ status: 201, bytes: 7, completed: true }]);
  });

  it("counts text in bytes, and leaves the rest of the response unchanged", async () => {
    const { limit, outcomes } = watched();
    const made = () => new Response("naïve", { status: 203, statusText: "Fine", headers: { "X-Own": "1" } });
    const response = await limit(made)(new Request(URL_HERE));
    expect([response.status, response.statusText, response.headers.get("x-own")]).toEqual([203, "Fine", "1"]);
    expect(response.headers.get("content-type")).toBe("text/plain;charset=UTF-8");
    expect(response.headers.has("ratelimit")).toBe(true);
    expect(await response.text()).toBe("naïve");
    expect(outcomes).toEqual([{ status: 203, bytes: 6, completed: true }]);
  });

  it("counts text and buffers in streams, which some runtimes accept", async () => {
    const { limit, outcomes } = watched();
    const { body } = source("naïve", bytes(5).buffer, new DataView(new ArrayBuffer(3)));
    const response = await limit(() => new Response(body))(new Request(URL_HERE));
    const reader = (response.body as ReadableStream<unknown>).getReader();
    while (!(await reader.read()).done);
    expect(outcomes).toEqual([{ status: 200, bytes: 14, completed: true }]);
  });

  it("reads nothing of a body ahead of the runtime", async () => {
    const { limit } = watched();
    const { body, asked } = source(bytes(1), bytes(1), bytes(1));
    const response = await limit(() => new Response(body))(new Request(URL_HERE));
    await aWhile();
    expect(asked()).toBe(0);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    await aWhile();
    expect(asked()).toBe(1);
  });

  it("is told once for a cancelled body, and passes the reason to the handler's body", async () => {
    const { limit, outcomes } = watched();
    const { body, cancelled } = source(bytes(3), bytes(4), bytes(5));
    const response = await limit(() => new Response(body))(new Request(URL_HERE));
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    await reader.cancel("gone");
    await reader.read();
    expect(cancelled).toEqual(["gone"]);
    expect(outcomes).toEqual([{ status: 200, bytes: 3, completed: false }]);
  });

  it("does not count a chunk that arrives after the body was cancelled", async () => {
    const { limit, outcomes } = watched();
    let give = (): void => {};
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) =>
        new Promise((resolve) => {
          give = () => {
            controller.enqueue(bytes(9));
            resolve();
          };
        }),
    });
    const response = await limit(() => new Response(body))(new Request(URL_HERE));
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const read = reader.read();
    const cancelled = reader.cancel("gone");
    expect(() => give()).toThrow();
    expect((await read).done).toBe(true);
    await cancelled;
    expect(outcomes).toEqual([{ status: 200, bytes: 0, completed: false }]);
  });

  it("is told for a body that fails, and the reader gets the error", async () => {
    const { limit, outcomes } = watched();
    let asked = 0;
    const failure = new Error("the source dried up");
    const body = new ReadableStream({
      pull: (controller) => {
        asked += 1;
        if (asked === 3) throw failure;
        controller.enqueue(bytes(2));
      },
    });
    const response = await limit(() => new Response(body))(new Request(URL_HERE));
    await expect(response.text()).rejects.toBe(failure);
    expect(outcomes).toEqual([{ status: 200, bytes: 4, completed: false }]);
  });

  it.each([
    ["HEAD, whose body stays unread", "HEAD", () => new Response("never read")],
    ["204", "GET", () => new Response(null, { status: 204 })],
    ["205", "GET", () => new Response(null, { status: 205 })],
    ["304", "GET", () => new Response(null, { status: 304 })],
    ["a redirect", "GET", () => Response.redirect("http://there.example/", 303)],
  ])("is told at once for %s", async (_name, method, made) => {
    const { limit, outcomes } = watched();
    const { status } = await limit(made)(new Request(URL_HERE, { method }));
    expect(outcomes).toEqual([{ status, bytes: 0, completed: true }]);
  });

  it("of a network error is incomplete", async () => {
    const { limit, outcomes } = watched();
    await limit(() => Response.error())(new Request(URL_HERE));
    expect(outcomes).toEqual([{ status: 0, bytes: 0, completed: false }]);
  });

  it("of a response whose body was used is that of a failed handler", async () => {
    const { limit, outcomes } = watched();
    const used = new Response("hello");
    await used.text();
    await expect(limit(() => used)(new Request(URL_HERE))).rejects.toThrow(TypeError);
    expect(outcomes).toEqual([{ status: 500, bytes: 0, completed: false }]);
  });
});

describe("the outcome of a fetch request whose client leaves", () => {
  /** The client goes while the handler works, which then does what it is told. */
  async function goneWhile(end: (fail: () => void, answer: () => void) => void): Promise<Outcome[]> {
    const { limit, outcomes } = watched();
    const client = new AbortController();
    const handle = limit(
      () =>
        new Promise<Response>((resolve, reject) => {
          client.abort();
          end(
            () => reject(client.signal.reason as Error),
            () => resolve(new Response("too late", { status: 202 })),
          );
        }),
    );
    const answer = handle(new Request(URL_HERE, { signal: client.signal }));
    await Promise.race([answer.catch(() => {}), aWhile()]);
    await aWhile();
    return outcomes;
  }

  it.each<[string, Parameters<typeof goneWhile>[0], Outcome[]]>([
    ["never answers: it is not told", () => {}, []],
    ["fails for that", (fail) => fail(), [{ status: 0, bytes: 0, completed: false }]],
    ["fails later", (fail) => void setTimeout(fail, 2), [{ status: 0, bytes: 0, completed: false }]],
    ["answers later", (_fail, answer) => void setTimeout(answer, 2), [{ status: 202, bytes: 0, completed: false }]],
  ])("before the response is that of a handler which %s", async (_name, end, expected) => {
    expect(await goneWhile(end)).toEqual(expected);
  });

  it("is the same if the client left before the limiter was asked", async () => {
    const { limit, outcomes } = watched();
    const request = new Request(URL_HERE, { signal: AbortSignal.abort() });
    await limit(() => new Response("too late"))(request);
    await aWhile();
    expect(outcomes).toEqual([{ status: 200, bytes: 0, completed: false }]);
  });

  it("is complete for a request that becomes a web socket, which Deno aborts", async () => {
    const { limit, outcomes } = watched();
    const client = new AbortController();
    await limit(async () => {
      client.abort();
      return Object.defineProperty(new Response(null), "status", { value: 101 });
    })(new Request(URL_HERE, { signal: client.signal }));
    await aWhile();
    expect(outcomes).toEqual([{ status: 101, bytes: 0, completed: true }]);
  });
});

describe("the outcome of a fetch request without a signal", () => {
  const unsignalled = () => Object.defineProperty(new Request(URL_HERE), "signal", { value: undefined });

  it("is known at the response or error", async () => {
    const { limit, outcomes } = watched();
    expect(await (await limit(() => new Response("hello"))(unsignalled())).text()).toBe("hello");
    const failure = new Error("the handler failed");
    await expect(
      limit(() => {
        throw failure;
      })(unsignalled()),
    ).rejects.toBe(failure);
    expect(outcomes).toEqual([
      { status: 200, bytes: 5, completed: true },
      { status: 500, bytes: 0, completed: false },
    ]);
  });
});
