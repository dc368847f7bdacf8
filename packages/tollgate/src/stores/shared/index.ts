export type { LocalStore, OverflowPolicy } from "../local/local-store.ts";
export { type SharedStore, type SharedStoreOptions, type SharedStores, sharedStore } from "./shared-store.ts";
export type { SharedStoreHandle } from "./shared-store-handle.ts";
