import { memoryStore } from "tollgate";
import type { OnFailure } from "tollgate/redis";
import { type Policy, SHARE } from "./flood.ts";

export function onFailureOf(policy: Policy): OnFailure {
  return policy === "half a share" ? { fallback: memoryStore(), share: SHARE } : policy;
}
