import { Controller, type DynamicModule, Get, Module, UseGuards } from "@nestjs/common";
import { APP_GUARD, NestFactory } from "@nestjs/core";
import { createLimiter, type Limiter, perMinute } from "tollgate";
import { type HttpFacts, RateLimit, RateLimitGuard, RateLimitModule, SkipRateLimit } from "tollgate/nestjs";
import { expect, it, onTestFinished } from "vitest";
import { manualLimiter, perAddress } from "../suite/case.ts";

type Decorate = ClassDecorator & MethodDecorator;
type Routes = Readonly<Record<string, readonly (Decorate | MethodDecorator)[]>>;

/** A controller with one route for each entry, decorated by plain calls: no metadata is emitted. */
function controllerOf(routes: Routes, ofClass: readonly (Decorate | ClassDecorator)[] = []): new () => object {
  class Made {}
  for (const [name, decorators] of Object.entries(routes)) {
    const descriptor = { value: () => name, writable: true, configurable: true };
    Object.defineProperty(Made.prototype, name, descriptor);
    for (const decorate of [Get(name), ...decorators]) decorate(Made.prototype, name, descriptor as never);
  }
  for (const decorate of [Controller(), ...ofClass] as ClassDecorator[]) decorate(Made);
  return Made;
}

async function start(limits: DynamicModule | undefined, controller: new () => object, providers: object[] = []) {
  class Application {}
  Module({ imports: limits === undefined ? [] : [limits], controllers: [controller], providers: providers as [] })(
    Application,
  );
  const app = await NestFactory.create(Application, { logger: false, forceCloseConnections: true });
  onTestFinished(() => app.close());
  await app.listen(0, "127.0.0.1");
  const url = await app.getUrl();
  return async (...routes: string[]): Promise<number[]> => {
    const statuses: number[] = [];
    for (const route of routes) statuses.push((await fetch(`${url}/${route}`)).status);
    return statuses;
  };
}

function limiterOf(limit: number): Limiter<HttpFacts> {
  return manualLimiter([perMinute(limit)]).limiter;
}

it("limits all routes by the module, one by its own limiter, one by other options, one by name, and leaves one out", async () => {
  const controller = controllerOf({
    plain: [],
    own: [RateLimit({ limiter: limiterOf(1) })],
    costly: [RateLimit({ cost: 2 })],
    named: [RateLimit("login")],
    free: [SkipRateLimit()],
  });
  const named = { login: { limiter: limiterOf(1) } };
  const ask = await start(RateLimitModule.forRoot({ limiter: limiterOf(3), named }), controller);
  expect(await ask("own", "own", "named", "named", "free")).toEqual([200, 429, 200, 429, 200]);
  expect(await ask("plain", "costly", "plain", "costly", "free")).toEqual([200, 200, 429, 429, 200]);
});

it("counts a call once, though its guard is bound for the application, for the class and for the route", async () => {
  const limiter = limiterOf(2);
  const controller = controllerOf({ route: [RateLimit(), UseGuards(RateLimitGuard)] }, [UseGuards(RateLimitGuard)]);
  const ask = await start(RateLimitModule.forRoot({ limiter }), controller, [
    { provide: APP_GUARD, useClass: RateLimitGuard },
  ]);
  expect(await ask("route", "route", "route")).toEqual([200, 200, 429]);
});

it("limits only what is marked if the module is not global, a method before its class", async () => {
  const controller = controllerOf({ marked: [RateLimit()], plain: [] });
  const ask = await start(RateLimitModule.forRoot({ limiter: limiterOf(1), global: false }), controller);
  expect(await ask("marked", "marked", "plain", "plain")).toEqual([200, 429, 200, 200]);

  const limited = controllerOf({ one: [], free: [SkipRateLimit()] }, [RateLimit({ limiter: limiterOf(1) })]);
  const askLimited = await start(undefined, limited);
  expect(await askLimited("one", "one", "free", "free")).toEqual([200, 429, 200, 200]);
});

it("takes options that need other providers", async () => {
  const provider = { provide: "CAPACITY", useValue: 1 };
  const limits = RateLimitModule.forRootAsync({
    imports: [{ module: class Config {}, providers: [provider], exports: ["CAPACITY"] }],
    inject: ["CAPACITY"],
    useFactory: async (capacity: number) => ({ limiter: limiterOf(capacity) }),
  });
  const ask = await start(limits, controllerOf({ route: [] }));
  expect(await ask("route", "route")).toEqual([200, 429]);
});

it("answers 500 rather than pass a route whose limit does not exist", async () => {
  const ask = await start(RateLimitModule.forRoot({}), controllerOf({ unknown: [RateLimit("other")], bare: [] }));
  expect(await ask("unknown", "bare")).toEqual([500, 500]);
});

it("refuses wrong options when they are declared", () => {
  const limiter = createLimiter({ key: perAddress, limits: [perMinute(1)] });
  const wrong = { limiter, windowMs: 1_000 } as object;
  for (const declare of [() => RateLimit(wrong), () => RateLimitModule.forRoot(wrong)]) {
    expect(declare).toThrow(expect.objectContaining({ code: "ERR_OPTION" }));
  }
});
