export { type ManualClock, manualClock } from "./manual-clock.ts";
export type { AnyStore, ContractCase } from "./store-contract/contract-case.ts";
export { type StoreContractOptions, storeContract } from "./store-contract/store-contract.ts";
