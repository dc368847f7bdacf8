import type { BlockFor } from "tollgate";
import type { LimitSpec } from "./limit-spec.ts";

/**
 * How the clock goes on from one step to the next. `retry` and `reset` lead to the moment that the last decision named,
 * give or take a microsecond; `span` counts eighths of a time that matters to the first limit. `block end` leads to the
 * next end of a block.
 */
export type Move =
  | { readonly to: "same" | "block end" }
  | { readonly to: "later" | "earlier"; readonly us: number }
  | { readonly to: "retry" | "reset"; readonly plusUs: number }
  | { readonly to: "moment"; readonly us: number }
  | { readonly to: "span"; readonly which: 0 | 1; readonly eighths: number };

/** A number of units. `capacity` and `left` are those of one of the limits, give or take a unit. */
export type Amount =
  | { readonly of: "number"; readonly count: number }
  | {
      readonly of: "capacity" | "left";
      readonly limit: number;
      readonly plus: number;
    }
  | { readonly of: "part"; readonly limit: number; readonly eighths: number };

/** `default` leaves the argument out. `each` has an amount for each unit, or none. */
export type CostSpec =
  | { readonly as: "default" }
  | { readonly as: "number"; readonly amount: Amount }
  | {
      readonly as: "each";
      readonly requests: Amount | undefined;
      readonly tokens: Amount | undefined;
    };

export type StepVerb =
  | ("consume" | "allow" | "peek" | "charge" | "refund" | "explain")
  | ("reset" | "sweep" | "clear" | "block" | "unblock" | "blocked until");

/** What every player understands: the clock goes on, then one verb is called with a key and a cost. */
export interface Step {
  readonly move: Move;
  readonly verb: StepVerb;
  /** The place of the limiter, or of its version. One past the last limiter means the first two combined. */
  readonly who: number;
  /** The place of the key for each limiter. */
  readonly keys: readonly [number, number];
  readonly cost: CostSpec;
  /** How `allow` is called; `consume` and others ignore "batch". */
  readonly by: "input" | "handle" | "batch";
  /** How long a block lasts; by default some tens of microseconds. */
  readonly blockUs?: number;
}

/**
 * Tables of either kind drop an idle key when a new key could use its slot, which depends on chance. So they are for
 * scenarios whose clock does not go back, or that have one key. The limiters of a shared store have an attachment each.
 * A plain store has no batches, no key references and no `undo`.
 */
export type StoreKind = "memory" | "plain" | "table" | "shared";

export type NamedSpec = LimitSpec & { readonly name: string; readonly blockFor: BlockFor | undefined };

/** A list of limits, as numbers by name, and how a version of a limiter uses it. */
export interface VersionSpec {
  readonly limits: readonly NamedSpec[];
  readonly onChange: "carry-over" | "keep-first";
  /** A function chooses the limits: each is a plan of its own. */
  readonly isChosen: boolean;
}

/** Versions of one limiter, and what happens to them. */
export interface Changes {
  readonly versions: readonly VersionSpec[];
  readonly steps: readonly Step[];
}

/** One or two limiters on one store, and what happens to them. */
export interface Scenario {
  readonly startUs: number;
  readonly limiters: readonly (readonly LimitSpec[])[];
  readonly steps: readonly Step[];
  readonly store: StoreKind;
}
