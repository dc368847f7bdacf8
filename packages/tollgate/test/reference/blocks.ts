import { type Model, type ModelVerb, transact } from "./model.ts";
import { capacityOf, type ModelCost, unitsOf } from "./model-limit.ts";
import type { Outcome } from "./outcome.ts";

/** What exhausting a limit costs: a time for each offence, forgotten so long after the end of a block. */
export interface ModelBlockFor {
  readonly durationsUs: readonly bigint[];
  readonly forgetAfterUs: bigint;
  readonly extend: boolean;
}

export interface ModelBlock {
  readonly untilUs: bigint;
  readonly offences: number;
  readonly forgetAtUs: bigint;
  readonly reason: string | undefined;
}

/** A limiter with blocks: its model, and the `blockFor` of each limit. */
export interface BlockingModel {
  readonly model: Model;
  readonly blocksFor: readonly (ModelBlockFor | undefined)[];
  readonly blocks: Map<string, ModelBlock>;
}

export interface BlockingCall {
  readonly of: BlockingModel;
  readonly key: string;
  readonly cost: ModelCost;
}

/** The outcome of a call: that of the limits, unless a block denied it. */
export interface BlockedOutcome {
  readonly allowed: boolean;
  readonly reason: "exhausted" | "cost-over-capacity" | "blocked" | undefined;
  /** To be read before the next call. */
  readonly retryAfterUs: bigint | "never";
  /** That of the limits, unless a block denied the call. */
  readonly ofLimits: Outcome | undefined;
  /** The block in force after the call that ends last. */
  readonly block: { readonly endsInUs: bigint; readonly reason: string | undefined } | undefined;
}

export function isBlocked({ blocks }: BlockingModel, key: string, nowUs: bigint): boolean {
  return nowUs < (blocks.get(key)?.untilUs ?? nowUs);
}

/** An operator's block, in place of any other. */
export function block(
  of: BlockingModel,
  key: string,
  untilUs: bigint,
  reason: string | undefined,
  nowUs: bigint,
): void {
  const before = known(of, key, nowUs);
  const forgetAtUs = before === undefined || before.forgetAtUs < untilUs ? untilUs : before.forgetAtUs;
  of.blocks.set(key, { untilUs, offences: before?.offences ?? 0, forgetAtUs, reason });
}

/** A call on one or several limiters at one instant. */
export function callWithBlocks(verb: ModelVerb, calls: readonly BlockingCall[], nowUs: bigint): BlockedOutcome {
  const modelCalls = calls.map(({ of: { model }, key, cost }) => ({ model, key, cost }));
  const wasBlocked = calls.some(({ of, key }) => isBlocked(of, key, nowUs));
  if (calls.every(({ of }) => of.blocksFor.length === 0 && of.blocks.size === 0)) {
    const outcome = transact(verb, modelCalls, nowUs);
    return outcomeWith(outcome.allowed, outcome, calls, nowUs);
  }
  if (!wasBlocked) {
    const units = new Set(calls.flatMap(({ of }) => of.model.limits.map(({ unit }) => unit)));
    const before = calls.map((call) => limitsBefore(call, units, nowUs));
    const outcome = transact(verb, modelCalls, nowUs);
    if (verb === "charge" || (verb === "take" && !outcome.allowed)) {
      for (const [i, call] of calls.entries()) punish(verb, call, before[i]!, nowUs);
    }
    return outcomeWith(outcome.allowed, outcome, calls, nowUs);
  }
  if (verb === "charge") transact(verb, modelCalls, nowUs);
  if (verb !== "peek") {
    for (const { of, key } of calls) if (isBlocked(of, key, nowUs)) extend(of, key, nowUs);
  }
  return outcomeWith(false, undefined, calls, nowUs);
}

/** The wait of the longest limit that enforces, after the call. */
function waitOf(calls: readonly BlockingCall[], nowUs: bigint): bigint | "never" {
  const waits = calls.flatMap(({ of: { model }, key, cost }) =>
    model
      .explain(key, nowUs, cost)
      .filter((_, i) => model.limits[i]!.mode !== "shadow")
      .map(({ retryAfterUs }) => retryAfterUs),
  );
  return waits.reduce((a, b) => (a === "never" || b === "never" ? "never" : a > b ? a : b), 0n);
}

function outcomeWith(
  allowed: boolean,
  outcome: Outcome | undefined,
  calls: readonly BlockingCall[],
  nowUs: bigint,
): BlockedOutcome {
  const inForce = calls.filter(({ of, key }) => isBlocked(of, key, nowUs)).map(({ of, key }) => of.blocks.get(key)!);
  const last = inForce.reduce<ModelBlock | undefined>(
    (a, b) => (a === undefined || b.untilUs > a.untilUs ? b : a),
    undefined,
  );
  const endsInUs = last === undefined ? 0n : last.untilUs - nowUs;
  return {
    allowed,
    reason: allowed ? undefined : outcome === undefined || outcome.allowed ? "blocked" : outcome.reason,
    get retryAfterUs() {
      const waitUs = outcome?.allowed === false ? outcome.retryAfterUs : waitOf(calls, nowUs);
      return waitUs === "never" || waitUs > endsInUs ? waitUs : endsInUs;
    },
    ofLimits: outcome,
    block: last && { endsInUs, reason: last.reason },
  };
}

/** A limit that a call is counted against: with first numbers not the one of the list. */
interface LimitBefore {
  readonly conforms: boolean;
  readonly capacity: bigint;
  readonly cost: bigint;
}

function limitsBefore(
  { of: { model }, key, cost }: BlockingCall,
  units: ReadonlySet<string>,
  nowUs: bigint,
): LimitBefore[] {
  return model.read(key, nowUs).map(({ limit, state }) => {
    const own = unitsOf(cost, limit.unit, units);
    return { conforms: state.conforms(nowUs, own), capacity: capacityOf(limit), cost: own };
  });
}

/** One offence for a key, if the call exhausted limits that block; the longest of their blocks counts. */
function punish(verb: ModelVerb, { of, key }: BlockingCall, before: readonly LimitBefore[], nowUs: bigint): void {
  const used = of.model.explain(key, nowUs, 0n).map((one) => one.used);
  const exhausted = of.blocksFor.filter((_, i) => {
    const { conforms, capacity, cost } = before[i]!;
    if (cost === 0n) return false;
    return verb === "charge" ? used[i]! >= capacity : !conforms && cost <= capacity;
  });
  const blocking = exhausted.filter((one) => one !== undefined);
  if (blocking.length === 0) return;
  const offences = known(of, key, nowUs)?.offences ?? 0;
  const ends = blocking.map(({ durationsUs, forgetAfterUs }) => {
    const durationUs = durationsUs[offences < durationsUs.length ? offences : durationsUs.length - 1]!;
    return { untilUs: nowUs + durationUs, forgetAtUs: nowUs + durationUs + forgetAfterUs };
  });
  const latest = (moments: readonly bigint[]) => moments.reduce((a, b) => (a > b ? a : b));
  of.blocks.set(key, {
    untilUs: latest(ends.map(({ untilUs }) => untilUs)),
    forgetAtUs: latest(ends.map(({ forgetAtUs }) => forgetAtUs)),
    offences: offences + 1,
    reason: undefined,
  });
}

function extend(of: BlockingModel, key: string, nowUs: bigint): void {
  const before = of.blocks.get(key)!;
  const ends = of.blocksFor.filter((one) => one?.extend === true).map((one) => nowUs + one!.durationsUs[0]!);
  const untilUs = ends.reduce((a, b) => (a > b ? a : b), before.untilUs);
  of.blocks.set(key, { ...before, untilUs, forgetAtUs: before.forgetAtUs + untilUs - before.untilUs });
}

/** What is known of a key's offences. */
function known(of: BlockingModel, key: string, nowUs: bigint): ModelBlock | undefined {
  const before = of.blocks.get(key);
  return before !== undefined && nowUs < before.forgetAtUs ? before : undefined;
}
