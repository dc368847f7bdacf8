import {
  createLimiter,
  fixedWindow,
  memoryStore,
  perDay,
  perHour,
  perMinute,
  perSecond,
  slidingWindow,
  tokenBucket,
} from "tollgate";
import { sharedStore } from "tollgate/shared";
import { tableStore } from "tollgate/table";
import { manualClock, storeContract } from "tollgate/testing";
import { describe, expect, it } from "vitest";

/** A function of misspelt options, because none of these compiles. */
type Loose = (...values: never[]) => unknown;
const call =
  (make: Loose, ...values: unknown[]) =>
  () =>
    make(...(values as never[]));

const NONE_NEAR = "expected name, unit, mode, blockFor, initial, idleTtl, burst";
const limits = [perMinute(100)];
const bucket = { capacity: 1, refill: 1, per: "1s" };
const sliding = { limit: 1, window: "1s" };

describe("a misspelt option is refused where it is given, with the word that was likely meant,", () => {
  it.each<[string, () => unknown]>([
    ['perSecond: unknown option "burts"; did you mean "burst"?', call(perSecond, 5, { burts: 9 })],
    ['perMinute: unknown option "burts"; did you mean "burst"?', call(perMinute, 5, { burts: undefined })],
    ['perMinute: unknown option "Name"; did you mean "name"?', call(perMinute, 5, { burst: 9, Name: "a" })],
    ['perMinute: unknown option "brust"; did you mean "burst"?', call(perMinute, 5, { brust: 9 })],
    ['perMinute: unknown option "INITI"; did you mean "initial"?', call(perMinute, 5, { INITI: "empty" })],
    [`perMinute: unknown option "to"; ${NONE_NEAR}`, call(perMinute, 5, { to: 9 })],
    [`perMinute: unknown option "toString"; ${NONE_NEAR}`, call(perMinute, 5, { toString: 9 })],
    [`perMinute: unknown option "__proto__"; ${NONE_NEAR}`, call(perMinute, 5, JSON.parse('{"__proto__": 3}'))],
    [
      `perMinute: unknown option "${"b".repeat(79)}…; ${NONE_NEAR}`,
      call(perMinute, 5, Object.fromEntries([["b".repeat(100_000), 1]])),
    ],
    ['perHour: unknown option "inital"; did you mean "initial"?', call(perHour, 5, { inital: "empty" })],
    ['perDay: unknown option "Mode"; did you mean "mode"?', call(perDay, 5, { Mode: "shadow" })],
    ['perMinute: unknown option "capacity"; it is called "burst" here', call(perMinute, 5, { capacity: 9 })],
    ['perMinute: unknown option "limit"; the first argument is the count', call(perMinute, 5, { limit: 9 })],
    ['tokenBucket: unknown option "capcity"; did you mean "capacity"?', call(tokenBucket, { ...bucket, capcity: 3 })],
    ['tokenBucket: unknown option "burst"; it is called "capacity" here', call(tokenBucket, { ...bucket, burst: 3 })],
    [
      'slidingWindow: unknown option "resolutionMs"; did you mean "resolution"?',
      call(slidingWindow, { ...sliding, resolutionMs: 5 }),
    ],
    [
      'slidingWindow: unknown option "windowMs"; it is called "window" here: "60s", or milliseconds',
      call(slidingWindow, { windowMs: 5 }),
    ],
    [
      'slidingWindow: unknown option "max"; it is called "limit" here\n' +
        'slidingWindow: unknown option "per"; it is called "window" here: "60s", or milliseconds',
      call(slidingWindow, { ...sliding, max: 5, anchr: 1, per: "1s" }),
    ],
    ['fixedWindow: unknown option "anchr"; did you mean "anchor"?', call(fixedWindow, { ...sliding, anchr: "clock" })],
    ['fixedWindow: unknown option "max"; it is called "limit" here', call(fixedWindow, { max: 5, window: "1s" })],
    ['createLimiter: unknown option "stroe"; did you mean "store"?', call(createLimiter, { limits, stroe: 1 })],
    ['createLimiter: unknown option "limit"; did you mean "limits"?', call(createLimiter, { limit: limits })],
    ['createLimiter: unknown option "obs"; did you mean "observe"?', call(createLimiter, { limits, obs: () => {} })],
    [
      'createLimiter: unknown option "keyGenerator"; it is called "key" here',
      call(createLimiter, { limits, keyGenerator: String }),
    ],
    [
      'createLimiter: unknown option "windowMs"; write { limits: [perMinute(100, { burst: 20 })] }',
      call(createLimiter, { limits, windowMs: 5 }),
    ],
    ['memoryStore: unknown option "maxkey"; did you mean "maxKeys"?', call(memoryStore, { maxkey: 5 })],
    [
      'memoryStore: unknown option "sweepIntervalMs"; did you mean "sweepInterval"?',
      call(memoryStore, { sweepIntervalMs: 5 }),
    ],
    ['memoryStore: unknown option "warning"; did you mean "warnings"?', call(memoryStore, { warning: false })],
    [
      'tableStore: unknown option "overfow"; did you mean "overflow"?',
      call(tableStore, { maxKeys: 5, overfow: "deny" }),
    ],
    [
      'tableStore: unknown option "sweepInterval"; expected maxKeys, overflow, maxBytes, warnings',
      call(tableStore, { maxKeys: 5, sweepInterval: "1m" }),
    ],
    ['sharedStore: unknown option "maxByte"; did you mean "maxBytes"?', call(sharedStore, { maxKeys: 5, maxByte: 5 })],
    [
      'storeContract: unknown option "create"; did you mean "createStore"?',
      call(storeContract, { create: memoryStore }),
    ],
  ])("%s", (message, attempt) => {
    expect(attempt).toThrow(expect.objectContaining({ name: "TollgateError", code: "ERR_OPTION", message }));
  });
});

describe("options of a wrong type are refused", () => {
  it.each<[string, () => unknown]>([
    ["perMinute: expected an object of options, got 10; write { burst: 20 }", call(perMinute, 5, 10)],
    [
      "createLimiter: expected an object of options, got an array; write { limits: [perMinute(100, { burst: 20 })] }",
      call(createLimiter, limits),
    ],
    ["memoryStore: expected an object of options, got 1000", call(memoryStore, 1_000)],
    ['warnings: expected one of true, false, got "off"', call(memoryStore, { warnings: "off" })],
    ["storeContract: expected an object of options, got a function", call(storeContract, memoryStore)],
    ["createStore: expected a function that makes a store, got an object", call(storeContract, { createStore: {} })],
    ['manualClock: expected milliseconds, got "2026-01-01"', call(manualClock, "2026-01-01")],
    ["manualClock: expected milliseconds, got NaN", call(manualClock, Number.NaN)],
    ["manualClock.set: expected milliseconds, got an object", call(manualClock(0).set, new Date(0))],
    ['manualClock.advance: expected milliseconds, got "1s"', call(manualClock(0).advance, "1s")],
  ])("%s", (message, attempt) => {
    expect(attempt).toThrow(expect.objectContaining({ name: "TollgateError", code: "ERR_OPTION", message }));
  });
});

it("inherited options are ignored", () => {
  const options = Object.assign(Object.create({ inherited: 1 }) as object, { burst: 3, name: undefined });
  expect(call(perMinute, 5, options)).not.toThrow();
});
