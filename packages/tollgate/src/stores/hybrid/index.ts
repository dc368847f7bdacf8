export type { LeaseStatus, StrictReason } from "../../core/lease-status.ts";
export type { HybridStoreOptions } from "./hybrid-options.ts";
export { type HybridStore, hybridStore } from "./hybrid-store.ts";
export type { HybridStats } from "./stats.ts";
