import {
  coarseClock,
  createLimiter,
  fixedWindow,
  memoryStore,
  perDay,
  perHour,
  perMinute,
  perSecond,
  slidingWindow,
  TollgateError,
  tokenBucket,
} from "tollgate";
import { clientIp, rateLimit } from "tollgate/express";
import { redisStore } from "tollgate/redis";
import { sharedStore } from "tollgate/shared";
import { tableStore } from "tollgate/table";
import { storeContract } from "tollgate/testing";
import { describe, expect, it } from "vitest";

/** Values of every type, as a configuration file or an untyped caller may have them. */
const SAMPLE: Readonly<Record<string, unknown>> = {
  null: null,
  NaN: Number.NaN,
  '""': "",
  '"yes"': "yes",
  "{}": {},
  "[]": [],
  "-1": -1,
  "0": 0,
  "1": 1,
  "1.5": 1.5,
  true: true,
  false: false,
  "a function": () => 1,
};

/** The options of a function, each with the values of the sample that are valid. */
type Valid<Name extends string> = Readonly<Record<Name, readonly string[]>>;
/** A function of options that do not compile. */
type Loose = (...parameters: never[]) => unknown;

const nothing: readonly string[] = [];
const aName = ['"yes"'];
const aFunction = ["a function"];
const aBoolean = ["true", "false"];
const aCount = ["1"];
const aRate = ["1", "1.5"];
const aDuration = ["1", "1.5"];
const wholeMs = ["1"];
const wholeMsOr0 = ["0", "1"];

const COMMON = { name: aName, unit: aName, mode: nothing };
const CAPACITY = { maxKeys: aCount, overflow: nothing, maxBytes: nothing, warnings: aBoolean };
const RATE = { ...COMMON, burst: aCount, initial: nothing, idleTtl: nothing };
const limits = [perMinute(5)];
const limiter = createLimiter({ key: clientIp(), limits });
/** Has the methods of a client of Upstash. */
const client = { evalsha: () => {}, eval: () => {}, scan: () => {}, unlink: () => {} };

const FUNCTIONS: readonly [string, (options: object) => unknown, object, Valid<string>][] = [
  [
    "createLimiter",
    loose(createLimiter),
    { limits },
    {
      ...{ name: aName, key: aFunction, limits: aFunction, store: nothing },
      ...{ async: ["true"], clock: nothing, observe: aFunction, maxWaiting: aCount, barging: aBoolean },
    },
  ],
  [
    "tokenBucket",
    loose(tokenBucket),
    { capacity: 5, refill: 1, per: "1s" },
    { ...COMMON, capacity: aCount, refill: aRate, per: aDuration, initial: nothing, idleTtl: nothing },
  ],
  [
    "tokenBucket that starts empty",
    loose(tokenBucket),
    { capacity: 5, refill: 1, per: "1s", initial: "empty" },
    { idleTtl: aDuration, initial: nothing },
  ],
  ["perSecond", (options) => loose(perSecond)(5, options), {}, RATE],
  ["perMinute", (options) => loose(perMinute)(5, options), {}, RATE],
  ["perHour", (options) => loose(perHour)(5, options), {}, RATE],
  ["perDay", (options) => loose(perDay)(5, options), {}, RATE],
  [
    "slidingWindow",
    loose(slidingWindow),
    { limit: 5, window: "1s" },
    { ...COMMON, limit: aCount, window: aDuration, resolution: ["0", ...aDuration] },
  ],
  [
    "fixedWindow",
    loose(fixedWindow),
    { limit: 5, window: "1s" },
    { ...COMMON, limit: aCount, window: aDuration, anchor: nothing },
  ],
  ["memoryStore", closing(memoryStore), {}, { ...CAPACITY, sweepInterval: wholeMs }],
  ["tableStore", closing(tableStore), { maxKeys: 10 }, CAPACITY],
  ["sharedStore", closing(sharedStore), { maxKeys: 10 }, CAPACITY],
  [
    "redisStore",
    loose(redisStore),
    { client },
    {
      ...{ client: nothing, prefix: aName, onFailure: nothing, observe: aFunction, warnings: aBoolean },
      ...{ timeout: wholeMs, connectTimeout: wholeMsOr0, maxPending: aCount },
      ...{ batch: ["1", ...aBoolean], denyCache: ["1", ...aBoolean] },
    },
  ],
  [
    "the onFailure of redisStore",
    (onFailure) => loose(redisStore)({ client, onFailure }),
    { fallback: memoryStore(), share: 0.5 },
    { fallback: nothing, share: ["1"] },
  ],
  [
    "a redisStore that exists",
    (properties) => Object.assign(loose(redisStore)({ client }) as object, properties),
    {},
    { bypass: aBoolean },
  ],
  [
    "clientIp",
    loose(clientIp),
    { trustProxy: 1 },
    { trustProxy: ["[]", "0", "1", "false"], ipv6Prefix: aCount, addressHeader: aName, warnings: aBoolean },
  ],
  [
    "rateLimit",
    loose(rateLimit),
    { limiter, allowList: ["192.0.2.1"], denyList: ["192.0.2.2"], clientIp: clientIp(), chargeAfter: () => 1 },
    {
      ...{ limiter: nothing, input: aFunction, cost: ["{}", "0", "1", "a function"], skip: aFunction },
      ...{ allowList: ["[]"], denyList: ["[]"], clientIp: nothing },
      ...{ headers: ["false"], partitionKey: aFunction, exposeHeaders: aBoolean, denial: nothing, status: nothing },
      ...{ retryJitter: ["0", "1"], onDenied: aFunction, onError: nothing, logError: aFunction },
      ...{ chargeAfter: aFunction, settle: aBoolean, settleAborted: aBoolean },
    },
  ],
  ["storeContract", loose(storeContract), { createStore: memoryStore }, { createStore: aFunction, skip: ["{}"] }],
  [
    "the skip of storeContract",
    (skip) => loose(storeContract)({ createStore: memoryStore, skip }),
    {},
    { "every string is a key": aName },
  ],
];

function loose(make: Loose): (...parameters: unknown[]) => unknown {
  return (...parameters) => make(...(parameters as never[]));
}

/** Stops the timers of the stores that it makes. */
function closing(make: (options: never) => { close(): void }): (options: object) => void {
  return (options) => make(options as never).close();
}

/** Which values of the sample are accepted. Any other error than one of misuse is a failure. */
function acceptedBy(take: (value: unknown) => unknown): string[] {
  return Object.keys(SAMPLE).filter((name) => {
    try {
      take(SAMPLE[name]);
      return true;
    } catch (error) {
      if (!(error instanceof TollgateError)) throw error;
      expect(error.message).toMatch(/: expected .+, got ./s);
      return false;
    }
  });
}

const OPTIONS = FUNCTIONS.flatMap(([name, make, base, valid]) =>
  Object.keys(valid).map((option) => [option, name, make, base, valid[option]] as const),
);

describe("a value of a wrong type, such as null, is refused", () => {
  it.each(OPTIONS)("for the option %s of %s", (option, _name, make, base, valid) => {
    const accepted = acceptedBy((value) => make({ ...base, [option]: value }));
    expect(accepted.toSorted()).toEqual([...(valid ?? [])].toSorted());
  });

  it.each<[string, (options: unknown) => unknown, readonly string[]]>([
    ["createLimiter", loose(createLimiter), nothing],
    ["memoryStore", loose(memoryStore), ["{}"]],
    ["redisStore", loose(redisStore), nothing],
    ["perMinute", (options) => loose(perMinute)(5, options), ["{}"]],
    ["clientIp", loose(clientIp), ["{}"]],
    ["rateLimit", loose(rateLimit), nothing],
    ["storeContract", loose(storeContract), nothing],
    ["coarseClock", loose(coarseClock), nothing],
  ])("in place of the options of %s", (_name, take, valid) => {
    expect(acceptedBy(take)).toEqual(valid);
  });
});

describe("undefined means that an option is not given", () => {
  const required = ["client", "limits", "capacity", "refill", "per", "limit", "window", "fallback", "share"];
  const optional = OPTIONS.filter(([option, name]) => {
    if (option === "maxKeys") return name === "memoryStore";
    return !["limiter", "createStore", "bypass", ...required].includes(option);
  });

  it.each(optional)("for the option %s of %s", (option, _name, make, base) => {
    expect(() => make({ ...base, [option]: undefined })).not.toThrow();
  });
});
