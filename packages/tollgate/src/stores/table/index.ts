export type { LocalStore, OverflowPolicy } from "../local/local-store.ts";
export { type TableStoreOptions, tableStore } from "./table-store.ts";
