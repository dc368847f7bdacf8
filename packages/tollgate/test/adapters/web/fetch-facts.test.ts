import { createLimiter, perHour } from "tollgate";
import { factsOf, type HttpFacts, type RateLimitOptions, rateLimit } from "tollgate/fetch";
import { describe, expect, it } from "vitest";

const URL_HERE = "http://here.example/path";
const ask = () => new Request(URL_HERE);

describe("the facts of a fetch request", () => {
  it.each([
    ["http://here.example", "/"],
    ["http://here.example/?a=/b", "/"],
    ["http://here.example/a//b/?c#d", "/a//b/"],
    ["http://here.example:81/a%2Fb#?", "/a%2Fb"],
    ["https://here.example/é", "/%C3%A9"],
    ["http://[::1]:80/a/../b", "/b"],
    ["http://here.example?a=/b", "/"],
    ["http://here.example#/b", "/"],
    ["http://here.example/a?b=://c/d", "/a"],
  ])("have the path of %s", (url, path) => {
    expect(factsOf(new Request(url)).path).toBe(path);
  });
});

describe("the address of a fetch request", () => {
  /** Calls a limited handler as a runtime would, and returns the addresses seen by the key and by the handler. */
  async function addresses(others: unknown[], options: Partial<RateLimitOptions<HttpFacts>> = {}): Promise<unknown[]> {
    const seen: unknown[] = [];
    const key = (facts: HttpFacts) => {
      seen.push(facts.remoteAddress);
      return "everybody";
    };
    const { input: _none, ...rest } = options;
    const limiter = createLimiter({ key, limits: [perHour(9)] });
    const handle = rateLimit({ ...rest, limiter })((request: Request, ..._others: unknown[]) => {
      seen.push(factsOf(request).remoteAddress);
      return new Response("hello");
    });
    await handle(ask(), ...others);
    return seen;
  }

  const bunServer = (address: string | undefined) => ({
    requestIP(this: unknown, request: Request) {
      expect(this).toHaveProperty("requestIP");
      expect(request).toBeInstanceOf(Request);
      return address === undefined ? null : { address, port: 1, family: "IPv4" };
    },
  });

  it.each<[string, unknown[], string | undefined]>([
    ["Bun", [bunServer("192.0.2.1")], "192.0.2.1"],
    ["Bun, when the socket is gone or has none", [bunServer(undefined)], undefined],
    ["Deno", [{ remoteAddr: { transport: "tcp", hostname: "2001:db8::1", port: 1 } }], "2001:db8::1"],
    ["Deno on a unix socket", [{ remoteAddr: { transport: "unix", path: "/socket" } }], undefined],
    ["Workers", [{ requestIP: "a secret", remoteAddr: "another" }, { waitUntil: () => {} }], undefined],
    ["Next.js", [{ params: Promise.resolve({}) }], undefined],
    ["nothing", [], undefined],
    ["anything", [null, undefined, 1, "192.0.2.9", bunServer("192.0.2.2")], "192.0.2.2"],
  ])("is the one that %s tells", async (_name, others, address) => {
    expect(await addresses(others)).toEqual([address, address]);
  });

  it("is the one that the option tells, whatever the runtime tells", async () => {
    const remoteAddress = (_request: Request, _server: unknown, address: unknown) => String(address);
    const others = [bunServer("192.0.2.1"), "192.0.2.3"];
    expect(await addresses(others, { remoteAddress })).toEqual(["192.0.2.3", "192.0.2.3"]);
    expect(await addresses(others, { remoteAddress: () => "" })).toEqual([undefined, undefined]);
  });

  it("is looked up once, and only if it is read", async () => {
    let asked = 0;
    const remoteAddress = () => {
      asked += 1;
      return "192.0.2.1";
    };
    await rateLimit({ limiter: createLimiter({ key: () => "everybody", limits: [perHour(5)] }), remoteAddress })(
      () => new Response("hello"),
    )(ask());
    expect(asked).toBe(0);
    await addresses([], { remoteAddress });
    expect(asked).toBe(1);
  });

  it("is unknown until the request comes to a limiter", async () => {
    const request = ask();
    const facts = factsOf(request);
    expect(facts.remoteAddress).toBeUndefined();
    const limiter = createLimiter({ key: () => "everybody", limits: [perHour(1)] });
    await rateLimit({ limiter })((_request: Request, _server: unknown) => new Response("hello"))(
      request,
      bunServer("192.0.2.1"),
    );
    expect(facts.remoteAddress).toBe("192.0.2.1");
  });

  it("is looked up before the limiter waits, because the peer may leave", async () => {
    let address: string | undefined = "192.0.2.1";
    const skip = async () => {
      await Promise.resolve();
      address = undefined;
      return false;
    };
    expect(await addresses([], { remoteAddress: () => address, skip })).toEqual(["192.0.2.1", "192.0.2.1"]);
  });

  describe("behind two limiters", () => {
    /** The addresses that the key functions, the options' functions and the handler see, in turn. */
    async function seenBy(
      outer: RateLimitOptions<HttpFacts>["remoteAddress"],
      inner: RateLimitOptions<HttpFacts>["remoteAddress"],
      others: unknown[],
    ): Promise<string[]> {
      const seen: string[] = [];
      const see = (who: string, { remoteAddress }: HttpFacts) => void seen.push(`${who} ${remoteAddress}`);
      const limitBy = (who: string, remoteAddress: typeof outer) =>
        rateLimit({
          limiter: createLimiter({
            key: (facts: HttpFacts) => {
              see(who, facts);
              return facts.remoteAddress ?? "unknown";
            },
            limits: [perHour(5)],
          }),
          ...(remoteAddress === undefined ? {} : { remoteAddress }),
          chargeAfter: (request) => {
            see(`${who} settles`, factsOf(request));
            return 1;
          },
        });
      const handle = limitBy(
        "outer",
        outer,
      )((request: Request, ..._others: unknown[]) =>
        limitBy(
          "inner",
          inner,
        )((asked) => {
          see("handler", factsOf(asked));
          return new Response(null);
        })(request),
      );
      await handle(ask(), ...others);
      return seen;
    }

    it("is known to the inner limiter, which is handed only the request", async () => {
      const all = (address: string) =>
        ["outer", "inner", "handler", "inner settles", "outer settles"].map((who) => `${who} ${address}`);
      expect(await seenBy(undefined, undefined, [bunServer("192.0.2.1")])).toEqual(all("192.0.2.1"));
      expect(await seenBy(() => "192.0.2.2", undefined, [])).toEqual(all("192.0.2.2"));
    });

    it("is for each limiter the one that its own option tells", async () => {
      const [outer, inner] = [() => "192.0.2.1", () => "192.0.2.2"];
      expect((await seenBy(outer, inner, [])).slice(0, 2)).toEqual(["outer 192.0.2.1", "inner 192.0.2.2"]);
    });
  });
});
