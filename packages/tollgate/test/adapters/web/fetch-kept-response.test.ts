import { createLimiter, perHour } from "tollgate";
import { rateLimit } from "tollgate/fetch";
import { describe, expect, it } from "vitest";
import { AsyncTwin } from "../../testing/async-twin.ts";

const ask = (client: string, method = "GET") =>
  new Request("http://here.example/", { method, headers: { "X-Client": client } });
const clientOf = (request: Request) => request.headers.get("x-client") ?? "";
const pkOf = (client: string) => `pk=:${btoa(client)}:`;

/** A limit whose header names the client. */
function limitOf(options: Partial<Parameters<typeof rateLimit<Request>>[0]> = {}, capacity = 10) {
  const limiter = createLimiter({ key: clientOf, limits: [perHour(capacity, { name: "limit" })] });
  return rateLimit({ limiter, input: (request: Request) => request, partitionKey: clientOf, ...options });
}

const told = ({ headers }: Response) => headers.get("ratelimit");
const standing = (client: string, remaining: number, seconds: number) =>
  `"limit";r=${remaining};t=${seconds};${pkOf(client)}`;

describe("a response that a handler returns repeatedly", () => {
  it.each<[string, string, () => Response]>([
    ["without a body", "GET", () => new Response(null, { status: 204 })],
    ["with a body that is not sent", "HEAD", () => new Response("hello")],
    ["whose headers do not change", "GET", () => Response.redirect("http://there.example/", 302)],
  ])("tells every client its own quota state: %s", async (_what, method, made) => {
    const kept = made();
    const handle = limitOf()(() => kept);
    const first = await handle(ask("ann", method));
    const [second, third] = [await handle(ask("bob", method)), await handle(ask("ann", method))];
    expect([first, second, third].map(told)).toEqual([
      standing("ann", 9, 360),
      standing("bob", 9, 360),
      standing("ann", 8, 720),
    ]);
    expect(second.status).toBe(kept.status);
    expect(second.headers.get("location")).toBe(kept.headers.get("location"));
  });

  it("tells concurrent clients their own quota states", async () => {
    const kept = new Response(null, { status: 404 });
    const store = new AsyncTwin();
    const limiter = createLimiter({ name: "limit", key: clientOf, limits: [perHour(10, { name: "limit" })], store });
    const handle = limitOf({ limiter })(async () => kept);
    const clients = Array.from({ length: 20 }, (_, index) => `client ${index}`);
    const letGo = store.hold();
    const asked = clients.map((client) => handle(ask(client)));
    letGo();
    expect((await Promise.all(asked)).map(told)).toEqual(clients.map((client) => standing(client, 9, 360)));
  });

  it("keeps its own headers", async () => {
    const kept = new Response(null, {
      headers: { RateLimit: "own", "Access-Control-Expose-Headers": "X-Own", "X-Own": "1" },
    });
    const handle = limitOf({ exposeHeaders: true })(() => kept);
    for (const client of ["ann", "bob", "ann"]) {
      const { headers } = await handle(ask(client));
      expect([headers.get("ratelimit"), headers.get("x-own")]).toEqual(["own", "1"]);
      expect(headers.get("ratelimit-policy")).toBe(`"limit";q=10;w=3600;${pkOf(client)}`);
      expect(headers.get("access-control-expose-headers")).toBe("X-Own, RateLimit-Policy, RateLimit, Retry-After");
    }
  });

  it("shows an uncounted request no headers of other requests", async () => {
    const kept = new Response(null, { headers: { "X-Own": "1" } });
    const handle = limitOf({ skip: (request) => clientOf(request) === "eve" })(() => kept);
    await handle(ask("ann"));
    const { headers } = await handle(ask("eve"));
    expect([...headers.keys()]).toEqual(["x-own"]);
  });

  it("has the headers of the request that it answers, in the forms of both limiters", async () => {
    const kept = new Response(null);
    const front = limitOf({ headers: ["legacy", "draft-11"] }, 50);
    const handle = front(limitOf()(() => kept));
    for (const [client, remaining] of [
      ["ann", 9],
      ["bob", 9],
      ["ann", 8],
    ] as const) {
      const response = await handle(ask(client));
      expect(told(response)).toContain(`r=${remaining};`);
      expect(told(response)).toContain(pkOf(client));
      expect(response.headers.get("x-ratelimit-remaining")).toBe(String(remaining));
    }
  });

  it("has the same headers behind a limiter with chargeAfter", async () => {
    const kept = new Response("hello");
    const plain = limitOf()(() => kept);
    const settling = limitOf({ chargeAfter: () => 1 })(() => kept);
    await plain(ask("ann", "HEAD"));
    expect(told(await settling(ask("bob", "GET")))).toBe(standing("bob", 9, 360));
  });

  it("may be a response of onDenied", async () => {
    const kept = new Response("wait", { status: 503 });
    const limiter = createLimiter({
      key: clientOf,
      limits: (request) => [perHour(clientOf(request) === "ann" ? 1 : 2, { name: "limit", burst: 1 })],
    });
    const handle = limitOf({ limiter, onDenied: () => kept, cost: 1 })(() => new Response("hello"));
    const denied: (string | null)[] = [];
    for (const client of ["ann", "bob", "ann"]) {
      await handle(ask(client));
      const { headers } = await handle(ask(client));
      denied.push(headers.get("retry-after"));
    }
    expect(denied).toEqual(["3600", "1800", "3600"]);
  });
});
