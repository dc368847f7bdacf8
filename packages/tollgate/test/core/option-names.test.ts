import { createLimiter, fixedWindow, memoryStore, perMinute, perSecond, slidingWindow, tokenBucket } from "tollgate";
import { sharedStore } from "tollgate/shared";
import { tableStore } from "tollgate/table";
import { storeContract } from "tollgate/testing";
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
    [`perMinute: unknown option "to"; ${NONE_NEAR}`, call(perMinute, 5, { to: 9 })],
    [`perMinute: unknown option "toString"; ${NONE_NEAR}`, call(perMinute, 5, { toString: 9 })],
    [`perMinute: unknown option "__proto__"; ${NONE_NEAR}`, call(perMinute, 5, JSON.parse('{"__proto__": 3}'))],
    [
      `perMinute: unknown option "${"b".repeat(79)}…; ${NONE_NEAR}`,
      call(perMinute, 5, Object.fromEntries([["b".repeat(100_000), 1]])),
    ],
    ['tokenBucket: unknown option "capcity"; did you mean "capacity"?', call(tokenBucket, { ...bucket, capcity: 3 })],
    [
      'slidingWindow: unknown option "resolutionMs"; did you mean "resolution"?',
      call(slidingWindow, { ...sliding, resolutionMs: 5 }),
    ],
    [
      'slidingWindow: unknown option "max"; it is called "limit" here\n' +
        'slidingWindow: unknown option "per"; it is called "window" here: "60s", or milliseconds',
      call(slidingWindow, { ...sliding, max: 5, anchr: 1, per: "1s" }),
    ],
    ['fixedWindow: unknown option "anchr"; did you mean "anchor"?', call(fixedWindow, { ...sliding, anchr: "clock" })],
    ['createLimiter: unknown option "stroe"; did you mean "store"?', call(createLimiter, { limits, stroe: 1 })],
    ['memoryStore: unknown option "maxkey"; did you mean "maxKeys"?', call(memoryStore, { maxkey: 5 })],
    [
      'tableStore: unknown option "overfow"; did you mean "overflow"?',
      call(tableStore, { maxKeys: 5, overfow: "deny" }),
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

it("inherited options are ignored", () => {
  const options = Object.assign(Object.create({ inherited: 1 }) as object, { burst: 3, name: undefined });
  expect(call(perMinute, 5, options)).not.toThrow();
});
