import { type LimitSpec, libraryLimit, modelLimit } from "../../../properties/limit-spec.ts";
import { carriedOver } from "../../../reference/carried-over.ts";
import { FixedWindow, FixedWindowRules } from "../../../reference/fixed-window.ts";
import type { LimitRules, LimitState } from "../../../reference/limit-state.ts";
import { rulesOf } from "../../../reference/model.ts";
import { SlidingWindowRules } from "../../../reference/sliding-window.ts";
import type { Audit, Entry, Forgotten, Refund, Take } from "./history.ts";

/** The reference rules of the limits of a list. */
export function rulesOfList(specs: readonly LimitSpec[]): readonly LimitRules[] {
  return specs.map((spec, i) => rulesOf(modelLimit(libraryLimit(spec, `${i}`)), {}));
}

/** Judges the history of one key by the reference model. */
export interface Judge {
  /** Orders what one command did. */
  compare(one: Entry, other: Entry): number;
  /** What the entry contradicts, in words. Entries come in the server's order. */
  judge(entry: Entry): string | undefined;
}

/** The first contradiction of a history, in words. */
export function contradictionIn(history: readonly Entry[], judge: Judge): string | undefined {
  const byOrder = (a: Entry, b: Entry) => (a.order === b.order ? judge.compare(a, b) : a.order - b.order);
  for (const entry of history.toSorted(byOrder)) {
    const found = judge.judge(entry);
    if (found !== undefined) return `${entry.kind} at ${entry.atUs}: ${found}`;
  }
  return undefined;
}

/** Where each call asks the server and nothing is lost, the model decides every call as the server does. */
export class ExactJudge implements Judge {
  readonly #versions: readonly (readonly LimitRules[])[];
  #version = 0;
  #states: readonly LimitState[];
  #resetOrder = 0;
  /** What identifies the units of takes that were admitted. */
  readonly #untilUs = new Map<Take, readonly bigint[]>();

  constructor(versions: readonly (readonly LimitRules[])[]) {
    this.#versions = versions;
    this.#states = versions[0]!.map((rules) => rules.fresh(0n));
  }

  compare(one: Entry, other: Entry): number {
    return one.calledUs - other.calledUs;
  }

  judge(entry: Entry): string | undefined {
    const nowUs = BigInt(entry.atUs);
    switch (entry.kind) {
      case "take":
        return this.#take(entry, nowUs);
      case "refund":
        return this.#refund(entry, nowUs);
      case "reset":
        // A node that was closed while it looked for keys has forgotten none.
        if (!entry.byServer) return undefined;
        this.#states = this.#versions[this.#version]!.map((rules) => rules.fresh(nowUs));
        this.#resetOrder = entry.order;
        return undefined;
      case "audit": {
        const used = this.#states.map((state) => Number(state.used(nowUs)));
        return used.every((units, i) => units === entry.used[i]) ? undefined : `used ${entry.used}, expected ${used}`;
      }
      case "fault":
        return entry.text;
      case "loss":
        throw new Error("expected a server that loses nothing");
      default:
        return entry satisfies never;
    }
  }

  #take(take: Take, nowUs: bigint): string | undefined {
    const { allowed, units, byServer, version, calledUs } = take;
    // A remembered denial moves nothing.
    if (!byServer) return allowed ? "admitted without the server" : undefined;
    const [rules, before] = [this.#versions[version]!, this.#versions[this.#version]!];
    if (version !== this.#version) {
      this.#states = this.#states.map((state, i) => carriedOver(rules[i]!, before[i]!, state, nowUs));
      this.#version = version;
    }
    const conforms = this.#states.every((state, i) => state.conforms(nowUs, BigInt(units[i]!)));
    if (conforms !== allowed) return `${allowed ? "admitted" : "denied"} ${units}, unlike the model`;
    if (!allowed) return undefined;
    this.#states = this.#states.map((state, i) => state.take(nowUs, BigInt(units[i]!)));
    const untilUs = this.#states.map((state, i) => {
      const its = rules[i]!;
      if (state instanceof FixedWindow) return state.endUs;
      return its instanceof SlidingWindowRules ? nowUs + its.windowUs : BigInt(calledUs) + state.resetUs(nowUs);
    });
    this.#untilUs.set(take, untilUs);
    return undefined;
  }

  #refund({ of, units, calledUs, byServer }: Refund, nowUs: bigint): undefined {
    // A node that was closed gives nothing back.
    if (!byServer || of.order < this.#resetOrder) return;
    const untilUs = this.#untilUs.get(of)!;
    const rules = this.#versions[this.#version]!;
    this.#states = this.#states.map((state, i) => {
      const isWindow = rules[i] instanceof FixedWindowRules || rules[i] instanceof SlidingWindowRules;
      // Whether units of a bucket still count, the caller's clock says.
      const isOver = !isWindow && BigInt(calledUs) >= untilUs[i]!;
      return isOver ? state : state.giveBack(nowUs, BigInt(units[i]!), isWindow ? untilUs[i]! : nowUs + 1n);
    });
  }
}

/**
 * Where nodes spend what they took in advance, and messages are lost: what was admitted, charged to the model when it
 * was admitted, never exceeds a capacity. A window is known by its end, which receipts have.
 */
export class BoundJudge implements Judge {
  readonly #rules: readonly LimitRules[];
  /** Whether all that is used of the first limit can be told: units come back by themselves too late to matter. */
  readonly #isPlain: boolean;
  #states: LimitState[];
  /** Units of each fixed window, by its end. */
  #windows: Map<number, number>[];
  /** What the model counts and the server may not: losses of data, and what may have been given back. */
  readonly #slack: number[];
  #resetOrder = 0;

  constructor(rules: readonly LimitRules[], isPlain: boolean) {
    this.#rules = rules;
    this.#isPlain = isPlain;
    this.#slack = rules.map(() => 0);
    this.#states = rules.map((its) => its.fresh(0n));
    this.#windows = rules.map(() => new Map<number, number>());
  }

  /** Resets first. Nothing tells whether a call that waited for a lease came before the reset in the same command. */
  compare(one: Entry, other: Entry): number {
    return Number(other.kind === "reset") - Number(one.kind === "reset");
  }

  judge(entry: Entry): string | undefined {
    switch (entry.kind) {
      case "take":
        return entry.allowed && entry.order !== this.#resetOrder ? this.#take(entry) : undefined;
      case "refund":
        this.#refund(entry);
        return undefined;
      case "reset":
      case "loss":
        this.#forget(entry);
        return undefined;
      case "audit":
        return this.#audit(entry);
      case "fault":
        return entry.text;
      default:
        return entry satisfies never;
    }
  }

  #take({ atUs, units, untilUs }: Take): string | undefined {
    for (const [i, rules] of this.#rules.entries()) {
      const [slack, cost, capacity] = [this.#slack[i]!, units[i]!, Number(rules.capacity)];
      if (rules instanceof FixedWindowRules) {
        const used = this.#countIn(i, untilUs[i]!, cost);
        if (atUs >= untilUs[i]!) return `admitted in a window that ended at ${untilUs[i]}`;
        if (used > capacity + slack) return `${used} units in a window that has ${capacity}`;
      } else {
        const after = this.#states[i]!.take(BigInt(atUs), BigInt(cost));
        this.#states[i] = after;
        // A microsecond allows for rounding.
        if (!after.conforms(BigInt(atUs) + 1n, BigInt(-slack)))
          return `${after.used(BigInt(atUs))} units of ${capacity}`;
      }
    }
    return undefined;
  }

  #refund({ of, units, atUs, byServer }: Refund): void {
    for (const [i, rules] of this.#rules.entries()) {
      if (!byServer) this.#slack[i]! += units[i]!;
      else if (of.order >= this.#resetOrder && rules instanceof FixedWindowRules) {
        this.#countIn(i, of.untilUs[i]!, -units[i]!);
      } else if (of.order >= this.#resetOrder)
        this.#states[i] = this.#states[i]!.refund(BigInt(atUs), BigInt(units[i]!));
    }
  }

  /** Leases from before may still be spent. After a reset the server counts them. */
  #forget({ kind, order, atUs, byServer }: Forgotten): void {
    if (kind === "loss" || !byServer) {
      for (const [i, { capacity }] of this.#rules.entries()) this.#slack[i]! += Number(capacity);
    }
    if (!byServer) return;
    this.#states = this.#rules.map((rules) => rules.fresh(BigInt(atUs)));
    this.#windows = this.#rules.map(() => new Map());
    this.#resetOrder = order;
  }

  #audit({ atUs, used, expired }: Audit): string | undefined {
    for (const [i, rules] of this.#rules.entries()) {
      const counted = rules instanceof FixedWindowRules ? this.#unitsAt(i, atUs) : this.#states[i]!.used(BigInt(atUs));
      if (used[i]! < Number(counted) - this.#slack[i]!) return `${used[i]} used of limit ${i}, ${counted} admitted`;
      // What ended unspent is known of the first limit alone.
      if (i > 0 || !this.#isPlain) continue;
      if (used[i]! > Number(counted) + expired) return `${used[i]} used of limit ${i}, only ${counted} admitted`;
    }
    return undefined;
  }

  #unitsAt(i: number, atUs: number): number {
    return [...this.#windows[i]!].reduce((sum, [endUs, units]) => (endUs > atUs ? sum + units : sum), 0);
  }

  #countIn(i: number, endUs: number, units: number): number {
    const used = Math.max(0, (this.#windows[i]!.get(endUs) ?? 0) + units);
    this.#windows[i]!.set(endUs, used);
    return used;
  }
}
