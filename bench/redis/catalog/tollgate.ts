import type { Variant } from "../variant.ts";

const TOLLGATE = { client: "plain", command: "evalsha" } as const;

const STRICT = {
  ...TOLLGATE,
  who: "Tollgate, strict",
  options: "`allow(key)`, `redisStore({ client, batch: false })`",
  load: async () => (await import("../contenders/tollgate.ts")).strict,
} as const;

const BATCHED = {
  ...TOLLGATE,
  who: "Tollgate",
  options: "`allow(key)`, `redisStore({ client })`",
  load: async () => (await import("../contenders/tollgate.ts")).batched,
} as const;

export const TOLLGATE_VARIANTS: readonly Variant[] = [
  { ...STRICT, id: "strict", workload: "distinct keys" },
  { ...BATCHED, id: "batched", workload: "distinct keys" },
  {
    ...TOLLGATE,
    id: "three-limits",
    who: "Tollgate, three limits",
    options: "`allow(key)`, `redisStore({ client })`",
    workload: "distinct keys",
    load: async () => (await import("../contenders/tollgate.ts")).threeLimits,
  },
  {
    ...TOLLGATE,
    id: "consume",
    who: "Tollgate, decisions",
    options: "`consume(key)`, `redisStore({ client })`",
    workload: "distinct keys",
    load: async () => (await import("../contenders/tollgate.ts")).consuming,
  },
  { ...BATCHED, id: "batched-hot", workload: "one hot key" },
  { ...BATCHED, id: "batched-denied", workload: "denied keys" },
];
