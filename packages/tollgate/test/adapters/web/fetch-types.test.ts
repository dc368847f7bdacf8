import { createLimiter, perHour } from "tollgate";
import { header, type RateLimitWrapper, rateLimit } from "tollgate/fetch";
import { describe, expect, expectTypeOf, it } from "vitest";

const URL_HERE = "http://here.example/path";

describe("the types of the fetch adapter", () => {
  interface Env {
    readonly secret: string;
  }
  interface Context {
    waitUntil(later: Promise<unknown>): void;
  }
  class NativeRequest extends Request {
    readonly cookies: ReadonlyMap<string, string> = new Map();
  }
  class NativeResponse extends Response {
    readonly isNative = true;
  }
  const limiter = createLimiter({ key: header("x-api-key"), limits: [perHour(1)] });
  const inFront = rateLimit({ limiter });

  it("give a limited handler the parameters of its handler", () => {
    const worker = inFront(async (_request: Request, env: Env, context: Context) => {
      context.waitUntil(Promise.resolve());
      return new Response(env.secret);
    });
    expectTypeOf(worker).parameters.toEqualTypeOf<[request: Request, env: Env, context: Context]>();
    expectTypeOf(worker).returns.resolves.toEqualTypeOf<Response>();
    const native = inFront((request: NativeRequest) => new Response(request.cookies.get("a")));
    expectTypeOf(native).parameters.toEqualTypeOf<[request: NativeRequest]>();
    const optional = inFront((_request: Request, _env?: Env) => new Response());
    expectTypeOf(optional).toBeCallableWith(new Request(URL_HERE));
    expectTypeOf(optional).toBeCallableWith(new Request(URL_HERE), { secret: "a" });
  });

  it("give a limited handler the answers of its handler, or a response", () => {
    const upgrades = inFront((_request: Request, server: { upgrade(): boolean }) =>
      server.upgrade() ? undefined : new Response(),
    );
    expectTypeOf(upgrades).returns.resolves.toEqualTypeOf<Response | undefined>();
    expectTypeOf(inFront(() => new NativeResponse())).returns.resolves.toEqualTypeOf<NativeResponse | Response>();
    // @ts-expect-error: a string is no response
    inFront(() => "hello");
    // @ts-expect-error: the first thing that a handler gets is the request
    inFront((_env: Env) => new Response());
  });

  it("infer the runtime's request from the options", () => {
    const perUser = createLimiter({ key: (user: { id: string }) => user.id, limits: [perHour(1)] });
    const native = rateLimit({
      limiter: perUser,
      input: (request: NativeRequest) => ({ id: request.cookies.get("user") ?? "" }),
      skip: (request) => request.cookies.size > 9,
    });
    expectTypeOf(native).toEqualTypeOf<RateLimitWrapper<NativeRequest>>();
    // @ts-expect-error: a plain request has no cookies
    expectTypeOf(native((_request: Request) => new Response())).toBeCallableWith(new Request(URL_HERE));
    expectTypeOf(native((request) => new Response(request.cookies.get("a")))).toBeCallableWith(
      new NativeRequest(URL_HERE),
    );
    // @ts-expect-error: a limiter about users wants to know the user
    expect(rateLimit({ limiter: perUser })).toBeTypeOf("function");
  });

  it("infer the handler's arguments from remoteAddress", () => {
    const told = rateLimit({ limiter, remoteAddress: (_request, env: Env) => env.secret });
    expectTypeOf(told(() => new Response())).toBeCallableWith(new Request(URL_HERE), { secret: "a" });
    expectTypeOf(told((_request: Request, _env: Env, _context: Context) => new Response())).parameters.toEqualTypeOf<
      [request: Request, env: Env, context: Context]
    >();
    // @ts-expect-error: there would be no secret
    told((_request: Request, _env: Context) => new Response());
    // @ts-expect-error -- The decision may be undefined.
    expectTypeOf(told(() => new Response())).toBeCallableWith(new Request(URL_HERE));
  });
});
