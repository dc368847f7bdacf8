import type { Variant } from "../variant.ts";

const INCR = {
  who: "INCR",
  options: "`client.incr(key)`, client with `enableAutoPipelining`",
  client: "auto-pipelined",
  command: "incr",
  load: async () => (await import("../contenders/incr.ts")).create,
} as const;

export const INCR_VARIANTS: readonly Variant[] = [
  { ...INCR, id: "incr", workload: "distinct keys" },
  { ...INCR, id: "incr-hot", workload: "one hot key" },
];
