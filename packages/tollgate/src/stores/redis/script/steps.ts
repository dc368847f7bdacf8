import { startsEmpty } from "../../../algorithms/registry.ts";
import type { Limit } from "../../../core/limits/limit.ts";
import { isQuick, type ScriptKey, type ScriptTransaction, type ScriptVerb } from "./encode-call.ts";

/** To read and decide about a key, and to write it too. */
const READ = 2;
const WRITE = 6;
const BYTES_PER_CELL = 8;
/** Long rings are copied on their way: steps for each KiB. */
const READ_KIB = 2;
const WRITE_KIB = 5;
/** A refund may free most of a ring. */
const REFUND_KIB = 17;
/** Units of one transaction from which on running totals may have to be restated, which takes time for each cell of a ring. */
const MANY_UNITS = 2 ** 43;

/**
 * How much work a transaction is for the server, in steps: a step takes about a microsecond of a server that does nothing else. It is at
 * least what the transaction takes in a call of its own.
 */
export function stepsOf(transaction: ScriptTransaction): number {
  return isQuick(transaction) ? quickStepsOf(transaction) : generalStepsOf(transaction);
}

/** Adds up the steps of the transactions of one call: the shorter ways are open only to calls of which all transactions can go there. */
export class StepCount {
  readonly #byClient: boolean;
  #quick = 0;
  #general = 0;
  #areQuick = true;
  #atUs: number | undefined;

  constructor(time: "server" | "client") {
    this.#byClient = time === "client";
  }

  /** What the call would take with one more. */
  totalWith(transaction: ScriptTransaction): number {
    const before = this.#momentStep(transaction);
    if (this.#areQuick && isQuick(transaction)) return this.#quick + before + quickStepsOf(transaction);
    return this.#general + before + generalStepsOf(transaction);
  }

  add(transaction: ScriptTransaction): void {
    const before = this.#momentStep(transaction);
    this.#atUs = transaction.nowUs;
    this.#areQuick &&= isQuick(transaction);
    if (this.#areQuick) this.#quick += before + quickStepsOf(transaction);
    this.#general += before + generalStepsOf(transaction);
  }

  /** Another moment than that of the one before is told, too. */
  #momentStep({ nowUs }: ScriptTransaction): number {
    return this.#byClient && nowUs !== this.#atUs ? 1 : 0;
  }
}

function quickStepsOf(transaction: ScriptTransaction): number {
  const limits = transaction.keys[0]!.costs.length;
  const told = transaction.detail === "each" ? 1 : 0;
  return limits * (1 + roundsOf(transaction)) + told;
}

function generalStepsOf(transaction: ScriptTransaction): number {
  const { verb, times, keys } = transaction;
  const looks = verb === "peek" || verb === "explain";
  // All are asked before one takes.
  const rounds = roundsOf(transaction) * (verb === "take" && keys.length > 1 ? 2 : 1);
  let steps = 0;
  for (const { plan, costs } of keys) {
    const { limits } = plan.plan;
    steps += looks ? READ : WRITE;
    for (let i = 0; i < limits.length; i += 1) {
      const cells = plan.ringCells[i]!;
      const kib = (cells * BYTES_PER_CELL) / 1_024;
      steps += rounds * roundStepsOf(limits[i]!) + kibStepsOf(verb) * kib;
      if (times * (costs[i] ?? 0) > MANY_UNITS) steps += cells / 4;
    }
  }
  return Math.ceil(steps);
}

function kibStepsOf(verb: ScriptVerb): number {
  if (verb === "refund") return REFUND_KIB;
  return verb === "peek" || verb === "explain" ? READ_KIB : WRITE_KIB;
}

/** To ask one limit, to take from it and to tell its figures. */
function roundStepsOf({ algorithm }: Limit): number {
  return algorithm === "sliding-window" ? 5 : 4;
}

/** How many calls are decided one after another; the others are decided at once. */
function roundsOf({ verb, times, detail, keys }: ScriptTransaction): number {
  switch (verb) {
    case "take":
      if (detail === "each" || keys.length > 1) return Math.min(times, 1 + mostAdmitted(keys));
      return Math.min(times, 2);
    case "charge":
      return detail === "each" || keys.length > 1 ? times : Math.min(times, 3);
    case "refund":
      return keys.some(({ plan }) => startsEmpty(plan.plan)) ? times : 1;
    case "peek":
    case "explain":
    case "drop":
      return 1;
    default:
      return verb satisfies never;
  }
}

/** How often at most a take is admitted at one instant. */
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
