import { Controller, Get, Module } from "@nestjs/common";
import { APP_GUARD, NestFactory } from "@nestjs/core";
import { ThrottlerGuard, ThrottlerModule, type ThrottlerStorage } from "@nestjs/throttler";
import { throttlerStorage } from "tollgate/nestjs";
import { expect, it, onTestFinished, vi } from "vitest";

/** The storage counts by the time of the process. */
function stopTime(): void {
  vi.useFakeTimers({ toFake: ["Date", "performance"], now: 1_790_000_000_000 });
}

const ALLOWED = { isBlocked: false, timeToBlockExpire: 0 };

it("counts hits as @nestjs/throttler expects: each for its ttl, and whole seconds are rounded up", async () => {
  stopTime();
  const storage: ThrottlerStorage = throttlerStorage();
  const hit = () => storage.increment("ann", 1_500, 2, 0, "default");
  expect(await hit()).toEqual({ ...ALLOWED, totalHits: 1, timeToExpire: 2 });
  vi.advanceTimersByTime(1_000);
  expect(await hit()).toEqual({ ...ALLOWED, totalHits: 2, timeToExpire: 2 });
  expect(await hit()).toEqual({ totalHits: 3, timeToExpire: 1, isBlocked: true, timeToBlockExpire: 1 });
  vi.advanceTimersByTime(500);
  expect(await hit()).toMatchObject({ ...ALLOWED, totalHits: 2 });
});

it("blocks a key as long as the throttler says, and counts it anew afterwards", async () => {
  stopTime();
  const storage = throttlerStorage();
  const hit = (block: number) => storage.increment("ann", 60_000, 1, block, "default");
  for (const block of [5_000, 90_000]) {
    expect(await hit(block)).toMatchObject({ ...ALLOWED, totalHits: 1 });
    expect(await hit(block)).toMatchObject({ isBlocked: true, timeToBlockExpire: block / 1_000 });
    vi.advanceTimersByTime(block - 1);
    expect(await hit(block)).toMatchObject({ isBlocked: true, timeToBlockExpire: 1 });
    vi.advanceTimersByTime(1);
  }
});

it("keeps throttlers apart, and the hits of a key when its limit changes", async () => {
  stopTime();
  const storage = throttlerStorage();
  await storage.increment("ann", 60_000, 5, 0, "default");
  expect(await storage.increment("ann", 60_000, 5, 0, "strict")).toMatchObject({ totalHits: 1 });
  expect(await storage.increment("ann", 60_000, 2, 0, "default")).toMatchObject({ totalHits: 2, isBlocked: false });
  expect(await storage.increment("ann", 60_000, 2, 0, "default")).toMatchObject({ totalHits: 3, isBlocked: true });
  expect(await storage.increment("ann", 60_000, 0, 0, "none")).toMatchObject({ totalHits: 1, isBlocked: true });
});

it("stands in for the storage of ThrottlerModule", async () => {
  class Routes {
    hello(): string {
      return "hello";
    }
  }
  Controller()(Routes);
  Get()(Routes.prototype, "hello", Object.getOwnPropertyDescriptor(Routes.prototype, "hello")!);
  class Application {}
  const throttlers = [{ ttl: 60_000, limit: 2 }];
  Module({
    imports: [ThrottlerModule.forRoot({ throttlers, storage: throttlerStorage() })],
    controllers: [Routes],
    providers: [{ provide: APP_GUARD, useClass: ThrottlerGuard }],
  })(Application);
  const app = await NestFactory.create(Application, { logger: false, forceCloseConnections: true });
  onTestFinished(() => app.close());
  await app.listen(0, "127.0.0.1");
  const url = await app.getUrl();
  const statuses: number[] = [];
  for (let i = 0; i < 3; i += 1) statuses.push((await fetch(url)).status);
  expect(statuses).toEqual([200, 200, 429]);
});
