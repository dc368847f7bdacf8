import type { ScriptKey, ScriptTransaction, ScriptVerb } from "./transaction.ts";

/** What a verb means for the Redis store and its script. `lua/verb-table.ts` hands the script its columns. */
export interface ScriptVerbRow {
  /** Names the verb in the script's arguments. */
  readonly letter: string;
  /** Whether it changes cells. One reply answers any number of identical calls that change nothing. */
  readonly changes: boolean;
  /**
   * Whether it admits or denies, all or nothing. A denied call changes nothing, is described by the state as it is, and
   * identical calls after it are denied alike.
   */
  readonly decides: boolean;
  /** When it takes its costs; a peek takes them from cells that are restored afterwards. */
  readonly takes: "never" | "if-admitted" | "always";
  readonly givesBack: boolean;
  /** Whether it removes idle keys, and does nothing else. */
  readonly removesIdle: boolean;
  /**
   * Whether it settles calls that were admitted earlier. It may exceed `maxPending`, because takes must not crowd it
   * out, and denials of its keys are not cached meanwhile.
   */
  readonly settles: boolean;
  /** Whether the short forms of the script can run it. */
  readonly hasShortForm: boolean;
  /** How many calls of a transaction have a report of their own under `detail: "each"`. */
  readonly reports: "none" | "once" | "until-denied" | "each";
  /** How many calls the script decides one after another; it decides the others at once. */
  rounds(transaction: ScriptTransaction): number;
  /** Steps (see `steps.ts`) to read a key and to write it back. */
  readonly keySteps: number;
  /** Steps per KiB of a long ring, which is copied. */
  readonly kibSteps: number;
}

const READ = { keySteps: 2, kibSteps: 2 } as const;
const WRITE = { keySteps: 6, kibSteps: 5 } as const;

/** All that the Redis store knows of verbs: a new verb is a row of this table. */
export const SCRIPT_VERBS: Readonly<Record<ScriptVerb, ScriptVerbRow>> = {
  take: {
    letter: "t",
    changes: true,
    decides: true,
    takes: "if-admitted",
    givesBack: false,
    removesIdle: false,
    settles: false,
    hasShortForm: true,
    reports: "until-denied",
    rounds: ({ times, detail, keys }) =>
      Math.min(times, detail === "each" || keys.length > 1 ? 1 + mostAdmitted(keys) : 2),
    ...WRITE,
  },
  peek: {
    letter: "p",
    changes: false,
    decides: true,
    takes: "if-admitted",
    givesBack: false,
    removesIdle: false,
    settles: false,
    hasShortForm: false,
    reports: "once",
    rounds: once,
    ...READ,
  },
  explain: {
    letter: "e",
    changes: false,
    decides: false,
    takes: "never",
    givesBack: false,
    removesIdle: false,
    settles: false,
    hasShortForm: false,
    reports: "once",
    rounds: once,
    ...READ,
  },
  charge: {
    letter: "c",
    changes: true,
    decides: false,
    takes: "always",
    givesBack: false,
    removesIdle: false,
    settles: true,
    hasShortForm: false,
    reports: "each",
    rounds: ({ times, detail, keys }) => (detail === "each" || keys.length > 1 ? times : Math.min(times, 3)),
    ...WRITE,
  },
  refund: {
    letter: "r",
    changes: true,
    decides: false,
    takes: "never",
    givesBack: true,
    removesIdle: false,
    settles: true,
    hasShortForm: false,
    reports: "none",
    rounds: ({ times, keys }) => (keys.some(({ plan }) => plan.plan.startsEmpty) ? times : 1),
    keySteps: WRITE.keySteps,
    kibSteps: 17,
  },
  drop: {
    letter: "d",
    changes: true,
    decides: false,
    takes: "never",
    givesBack: false,
    removesIdle: true,
    settles: false,
    hasShortForm: false,
    reports: "none",
    rounds: once,
    ...WRITE,
  },
};

/** How many reports the reply to a transaction has. */
export function reportCount({ verb, times, detail }: ScriptTransaction, admitted: number): number {
  const { reports } = SCRIPT_VERBS[verb];
  if (reports === "none") return 0;
  const denied = admitted < times ? 1 : 0;
  if (detail === "first-denied") return denied;
  if (reports === "until-denied") return admitted + denied;
  return reports === "each" ? times : 1;
}

function once(): number {
  return 1;
}

/** An upper bound of the takes that are admitted at one instant. */
function mostAdmitted(keys: readonly ScriptKey[]): number {
  let most = Number.POSITIVE_INFINITY;
  for (const { plan, costs } of keys) {
    for (const [i, { capacity }] of plan.plan.limits.entries()) {
      const cost = costs[i]!;
      if (plan.plan.enforces[i]! && cost > 0) most = Math.min(most, Math.floor(capacity / cost));
    }
  }
  return most;
}
