export type { LocalStore, OverflowPolicy } from "../local/local-store.ts";
export { type SharedStoreOptions, sharedStore } from "./shared-store.ts";
export type { SharedStoreHandle } from "./shared-store-handle.ts";
export type { SharedStore } from "./store-in-thread.ts";
