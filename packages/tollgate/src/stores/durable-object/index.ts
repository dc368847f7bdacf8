export type { OnFailure } from "../../core/store.ts";
export type { StoreObservation as DurableObjectStoreObservation } from "../../core/store-observation.ts";
export type { OwnerAnswer as ObjectAnswer, OwnerRequest as ObjectRequest } from "../owned/messages.ts";
export { type DurableObjectStoreOptions, durableObjectStore } from "./durable-object-store.ts";

export type { LimitsObjectNamespace, LimitsObjectState, LimitsObjectStorage } from "./object-types.ts";
export { type RateLimitObject, rateLimitObject } from "./rate-limit-object.ts";
export type { Shards } from "./sharding.ts";
