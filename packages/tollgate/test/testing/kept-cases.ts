import { type ContractCase, storeContract } from "tollgate/testing";

/** For stores that ignore `onChange` so far. */
export const KEEPS_SEPARATE: Record<string, string> = { "when limits change": "counts are separate" };

/** The cases of the contract that are not skipped. */
export function keptCases(options: Parameters<typeof storeContract>[0]): ContractCase[] {
  return storeContract(options).filter(({ skip }) => skip === undefined);
}
