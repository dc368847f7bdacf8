import { createLimiter, perHour } from "tollgate";
import { type Outcome, rateLimit } from "tollgate/fetch";
import { describe, expect, it } from "vitest";

const URL_HERE = "http://here.example/path";

/** A limiter in front of handlers, and what it was told of their responses. */
function watched(): { limit: ReturnType<typeof rateLimit>; outcomes: Outcome[] } {
  const outcomes: Outcome[] = [];
  const limiter = createLimiter({ key: () => "everybody", limits: [perHour(9)] });
  const chargeAfter = (_request: Request, outcome: Outcome) => {
    outcomes.push(outcome);
    return 1;
  };
  return { limit: rateLimit({ limiter, chargeAfter }), outcomes };
}

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

describe("the outcome", () => {
  it("of a body is told when it has been taken whole, and not before", async () => {
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

  it("of text is counted in bytes, and the response keeps all else", async () => {
    const { limit, outcomes } = watched();
    const made = () => new Response("naïve", { status: 203, statusText: "Fine", headers: { "X-Own": "1" } });
    const response = await limit(made)(new Request(URL_HERE));
    expect([response.status, response.statusText, response.headers.get("x-own")]).toEqual([203, "Fine", "1"]);
    expect(response.headers.get("content-type")).toBe("text/plain;charset=UTF-8");
    expect(response.headers.has("ratelimit")).toBe(true);
    expect(await response.text()).toBe("naïve");
    expect(outcomes).toEqual([{ status: 203, bytes: 6, completed: true }]);
  });

  it("of an empty body is told when its end is found", async () => {
    const { limit, outcomes } = watched();
    const response = await limit(() => new Response(""))(new Request(URL_HERE));
    expect(await response.text()).toBe("");
    expect(outcomes).toEqual([{ status: 200, bytes: 0, completed: true }]);
  });

  it("counts text and buffers in streams, which some runtimes take", async () => {
    const { limit, outcomes } = watched();
    const { body } = source("naïve", bytes(5).buffer, new DataView(new ArrayBuffer(3)));
    const response = await limit(() => new Response(body))(new Request(URL_HERE));
    const reader = (response.body as ReadableStream<unknown>).getReader();
    while (!(await reader.read()).done);
    expect(outcomes).toEqual([{ status: 200, bytes: 14, completed: true }]);
  });

  it("takes nothing from a body before it is asked for", async () => {
    const { limit } = watched();
    const { body, asked } = source(bytes(1), bytes(1), bytes(1));
    const response = await limit(() => new Response(body))(new Request(URL_HERE));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(asked()).toBe(0);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(asked()).toBe(1);
  });

  it("of a body that is cancelled is told once, and the handler's body is cancelled for the same reason", async () => {
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

  it("of a body that is cancelled while it is waited for does not count what comes too late", async () => {
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

  it("of a body that fails is told, and whoever takes it gets the error", async () => {
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
    ["HEAD, whose body nobody reads", "HEAD", () => new Response("never read")],
    ["204", "GET", () => new Response(null, { status: 204 })],
    ["205", "GET", () => new Response(null, { status: 205 })],
    ["304", "GET", () => new Response(null, { status: 304 })],
    ["a redirect", "GET", () => Response.redirect("http://there.example/", 303)],
  ])("of %s is told at once", async (_name, method, made) => {
    const { limit, outcomes } = watched();
    const { status } = await limit(made)(new Request(URL_HERE, { method }));
    expect(outcomes).toEqual([{ status, bytes: 0, completed: true }]);
  });

  it("of HEAD is told at once, and the response is the handler's own", async () => {
    const { limit } = watched();
    const response = new Response("never read");
    expect(await limit(() => response)(new Request(URL_HERE, { method: "HEAD" }))).toBe(response);
  });

  it("of an error of the network is that nothing was sent", async () => {
    const { limit, outcomes } = watched();
    await limit(() => Response.error())(new Request(URL_HERE));
    expect(outcomes).toEqual([{ status: 0, bytes: 0, completed: false }]);
  });

  it("of a handler that fails is 500, whether at once or later", async () => {
    const { limit, outcomes } = watched();
    const failure = new Error("the handler failed");
    const atOnce = (): Response => {
      throw failure;
    };
    const later = async (): Promise<Response> => atOnce();
    await expect(limit(atOnce)(new Request(URL_HERE))).rejects.toBe(failure);
    await expect(limit(later)(new Request(URL_HERE))).rejects.toBe(failure);
    expect(outcomes).toEqual([
      { status: 500, bytes: 0, completed: false },
      { status: 500, bytes: 0, completed: false },
    ]);
  });

  it("of a response that was used already is that of a handler that fails", async () => {
    const { limit, outcomes } = watched();
    const used = new Response("hello");
    await used.text();
    await expect(limit(() => used)(new Request(URL_HERE))).rejects.toThrow(TypeError);
    expect(outcomes).toEqual([{ status: 500, bytes: 0, completed: false }]);
  });
});

describe("the outcome of a request whose client goes", () => {
  it("before there is a response is that nothing was sent, whatever the handler does then", async () => {
    const { limit, outcomes } = watched();
    for (const end of ["answers", "fails"]) {
      const client = new AbortController();
      let finish = (): void => {};
      const handle = limit(async () => {
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        if (end === "fails") throw client.signal.reason;
        return new Response("too late");
      });
      const answer = handle(new Request(URL_HERE, { signal: client.signal }));
      client.abort();
      expect(outcomes.splice(0)).toEqual([{ status: 0, bytes: 0, completed: false }]);
      finish();
      await Promise.allSettled([answer.then((response) => response.text())]);
      expect(outcomes).toEqual([]);
    }
  });

  it("before it came to the limiter is the same", async () => {
    const { limit, outcomes } = watched();
    const request = new Request(URL_HERE, { signal: AbortSignal.abort() });
    await (await limit(() => new Response("too late"))(request)).text();
    expect(outcomes).toEqual([{ status: 0, bytes: 0, completed: false }]);
  });

  it("after there is a response is for the body to tell", async () => {
    const { limit, outcomes } = watched();
    const client = new AbortController();
    const request = new Request(URL_HERE, { signal: client.signal });
    const response = await limit(() => new Response(source(bytes(8), bytes(9)).body))(request);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    client.abort();
    await reader.cancel();
    expect(outcomes).toEqual([{ status: 200, bytes: 8, completed: false }]);
  });

  it("leaves no listener behind once there is a response, or an error", async () => {
    const { limit } = watched();
    const request = new Request(URL_HERE);
    const listeners = new Set<unknown>();
    request.signal.addEventListener = (_type: string, listener: unknown) => void listeners.add(listener);
    request.signal.removeEventListener = (_type: string, listener: unknown) => void listeners.delete(listener);
    let seen = 0;
    const look = () => {
      seen = listeners.size;
    };
    await limit(() => {
      look();
      return new Response("hello");
    })(request);
    expect([seen, listeners.size]).toEqual([1, 0]);
    await limit(() => {
      look();
      throw new Error("the handler failed");
    })(request).catch(() => {});
    expect([seen, listeners.size]).toEqual([1, 0]);
  });
});
