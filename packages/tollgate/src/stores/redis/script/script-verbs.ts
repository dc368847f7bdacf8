import { VERBS, type Verb, type VerbTraits } from "../../../core/verbs.ts";
import type { ScriptVerb } from "./transaction.ts";

/** What a verb means for the Redis store and its script. `tools/build` passes columns to the script. */
export interface ScriptVerbRow extends VerbTraits {
  /** Names the verb in the script's arguments. */
  readonly name: ScriptVerb;
  /**
   * Whether the verb admits or denies, all or nothing. A denied call changes nothing, and identical calls after it are
   * denied alike. A peek takes its costs from cells that are restored afterwards.
   */
  readonly decides: boolean;
  /** Whether the verb removes idle keys, and does nothing else. */
  readonly removesIdle: boolean;
  /** Whether the verb removes the counts of a plan, and does nothing else. */
  readonly forgets: boolean;
  /** Whether the verb begins or ends an operator's block, and does nothing else. */
  readonly setsBlock: boolean;
  /** Whether the verb changes a receipt, and what that is about. */
  readonly keeps: boolean;
  /** Whether the verb takes units in advance, and reports on those. */
  readonly leases: boolean;
  /**
   * Whether the verb settles calls that were admitted earlier. It may exceed `maxPending`, because takes must not crowd
   * it out, and denials of its keys are not cached meanwhile.
   */
  readonly settles: boolean;
  /** Which calls of a transaction have a report of their own under `detail: "each"`. */
  readonly reported: "none" | "once" | "until-denied";
  /** Steps (see `steps.ts`) to read a key and to write it back. */
  readonly keySteps: number;
  /** Steps per KiB of a long ring, which is copied. */
  readonly kibSteps: number;
}

/** A lease is decided with records of all nodes, in the general form. A server takes 45 to 190 µs for one. */
const LEASE_STEPS = 100;
const READ = { keySteps: 2, kibSteps: 2 } as const;
const WRITE = { keySteps: 6, kibSteps: 5 } as const;
/** A refund may rewrite each group of a ring. */
const REFUND_KIB_STEPS = 70;

/** The verbs that decide no call. */
const ADMINISTRATIVE: VerbTraits = { ...VERBS.explain, changes: true, reports: false };

/** All that the Redis store knows of verbs. It follows from their traits, so a new verb needs no change here. */
export const SCRIPT_VERBS: Readonly<Record<ScriptVerb, ScriptVerbRow>> = {
  ...rowsOf(VERBS),
  drop: { ...describe("drop", ADMINISTRATIVE), removesIdle: true },
  // An operator's reset must not be crowded out, either.
  forget: { ...describe("forget", ADMINISTRATIVE), forgets: true, settles: true },
  block: { ...describe("block", ADMINISTRATIVE), setsBlock: true, settles: true },
  receipt: { ...describe("receipt", ADMINISTRATIVE), keeps: true, settles: true },
  lease: { ...describe("lease", ADMINISTRATIVE), leases: true, reported: "once", keySteps: LEASE_STEPS },
};

function rowsOf<Name extends Verb>(traits: Readonly<Record<Name, VerbTraits>>): Record<Name, ScriptVerbRow> {
  const names = Object.keys(traits) as Name[];
  return Object.fromEntries(names.map((name) => [name, describe(name, traits[name])])) as Record<Name, ScriptVerbRow>;
}

function describe(name: ScriptVerb, traits: VerbTraits): ScriptVerbRow {
  const { changes, takes, refunds, renews } = traits;
  const decides = takes === "if all conform";
  const { keySteps, kibSteps } = changes ? WRITE : READ;
  return {
    ...traits,
    name,
    decides,
    removesIdle: false,
    forgets: false,
    setsBlock: false,
    keeps: false,
    leases: false,
    settles: takes === "always" || refunds || renews,
    reported: reportedBy(traits),
    keySteps,
    kibSteps: refunds ? REFUND_KIB_STEPS : kibSteps,
  };
}

function reportedBy({ changes, takes, reports }: VerbTraits): ScriptVerbRow["reported"] {
  if (!reports) return "none";
  return changes && takes === "if all conform" ? "until-denied" : "once";
}
