import type { Move, Operation, Result } from "../cluster/messages.ts";

/** An object refuses calls of another version: while a deploy goes out, it may be older than its caller. */
export const VERSION = 1;

/** The calls of one turn of one caller, for one object. */
export interface ObjectRequest {
  readonly version: number;
  /** One store of one isolate. */
  readonly client: string;
  /** The plans of all spaces that the calls use: an object may have forgotten them at any moment. */
  readonly plans: readonly (readonly [space: number, plan: string])[];
  readonly operations: readonly Operation[];
}

export type ObjectAnswer =
  | {
      readonly outcome: "done";
      /** The moment of the decisions, by the object's clock. */
      readonly nowUs: number;
      readonly results: readonly Result[];
      readonly moves: readonly Move[];
    }
  | { readonly outcome: "other-version" };
