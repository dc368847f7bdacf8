import type { Decision } from "tollgate";
import { receiptOf } from "../../../../src/limiter/deciding/decided.ts";
import { capacityOf, type LimitSpec } from "../../../properties/limit-spec.ts";
import type { Entry, Facts, Take } from "./history.ts";
import type { SimNode } from "./sim-node.ts";
import type { SimServer } from "./sim-server.ts";
import type { Timeline } from "./timeline.ts";

const KEY = "ann";

/** What a call costs of each unit. */
export interface Costs {
  readonly requests: number;
  readonly tokens: number;
}

/** What an admitted call gives back later. */
export interface Back {
  readonly costs: Costs;
  readonly afterUs: number;
  readonly by: "refund" | "settle";
}

/** Calls for the key of a fleet, and the history that they make. */
export class Calls {
  readonly history: Entry[] = [];
  readonly #timeline: Timeline;
  readonly #server: SimServer;
  readonly #versions: readonly (readonly LimitSpec[])[];

  constructor(timeline: Timeline, server: SimServer, versions: readonly (readonly LimitSpec[])[]) {
    this.#timeline = timeline;
    this.#server = server;
    this.#versions = versions;
  }

  take(node: SimNode, costs: Costs, back?: Back): void {
    node.run(() => {
      this.#take(node, costs, back).catch(ignoreClosed);
    });
  }

  async #take(node: SimNode, costs: Costs, back: Back | undefined): Promise<void> {
    const { limiter, version } = node;
    const call = { version, calledUs: this.#timeline.nowUs, units: this.#unitsOf(version, costs) };
    const cost = this.#costOf(costs);
    if (back?.by === "settle") {
      const reservation = await limiter.reserve(KEY, cost);
      const { requests, tokens } = back.costs;
      const actual = this.#costOf({ requests: costs.requests - requests, tokens: costs.tokens - tokens });
      this.#decided(node, call, reservation.decision, back, () => reservation.settle(actual));
    } else {
      const decision = await limiter.consume(KEY, cost);
      this.#decided(node, call, decision, back, () => limiter.refund(KEY, this.#costOf(back!.costs), decision));
    }
  }

  reset(node: SimNode, how: "reset" | "clear"): void {
    node.run(() => {
      const { limiter } = node;
      this.#correct(node, { kind: "reset" }, () => (how === "reset" ? limiter.reset(KEY) : limiter.clear()));
    });
  }

  /** Asks the server what is used. `expired` units ended unspent at their nodes. */
  audit(auditor: SimNode, expired: () => number): void {
    const ask = async () => {
      const statuses = await auditor.limiter.explain(KEY);
      this.note({ kind: "audit", used: statuses.map(({ used }) => used), expired: expired() });
    };
    auditor.run(() => void ask());
  }

  /** Takes everything at once, which has to be admitted. */
  takeAll(auditor: SimNode): void {
    const list = this.#versions[auditor.version]!;
    const most = (unit: string) => Math.min(...list.filter((spec) => spec.unit === unit).map(capacityOf));
    const ask = async () => {
      const cost = this.#costOf({ requests: most("requests"), tokens: most("tokens") });
      const { allowed, degraded } = await auditor.limiter.consume(KEY, cost);
      if (!allowed) this.note({ kind: "fault", text: `a capacity is not back: ${degraded ?? "denied"}` });
    };
    auditor.run(() => void ask());
  }

  /** Notes what happened now, or what the reply says that is handled now. */
  note<Told extends Facts>(entry: Told): Told & Entry {
    const noted = { calledUs: this.#timeline.nowUs, ...entry, ...this.#moment } as Told & Entry;
    this.history.push(noted);
    return noted;
  }

  get #moment() {
    const { decided, nowUs } = this.#timeline;
    if (decided !== undefined) return { ...decided, byServer: true };
    return { order: this.#server.order + 0.5, atUs: nowUs, byServer: false };
  }

  #decided(
    node: SimNode,
    call: Pick<Take, "version" | "calledUs" | "units">,
    decision: Decision,
    back: Back | undefined,
    giveBack: () => Promise<unknown>,
  ): void {
    const { allowed, degraded } = decision;
    if (degraded !== undefined) return;
    const untilUs = receiptOf(decision)?.untilUs ?? [];
    const take = this.note({ kind: "take", ...call, allowed, untilUs } as const);
    if (take.byServer) node.noteTold(take.order + 0.25);
    else if (!(allowed || node.mayDeny))
      this.note({ kind: "fault", text: "denied by what was known before a correction" });
    if (!allowed || back === undefined) return;
    const { process } = node;
    const later = () => {
      const units = this.#unitsOf(call.version, back.costs);
      this.#correct(node, { kind: "refund", of: take, units }, giveBack);
    };
    this.#timeline.add(this.#timeline.nowUs + back.afterUs, later, process);
  }

  /** Notes a correction, which may have been done until a reply says that it was. */
  #correct(node: SimNode, entry: Facts, work: () => Promise<unknown>): void {
    const noted = this.note(entry);
    const correct = async () => {
      await work();
      // Without a reply the failure policy ended it.
      if (this.#timeline.decided === undefined) return;
      Object.assign(noted, this.#moment);
      node.noteCorrected(noted.order);
    };
    correct().catch(ignoreClosed);
  }

  #unitsOf(version: number, costs: Costs): readonly number[] {
    return this.#versions[version]!.map(({ unit }) => costs[unit]);
  }

  /** Tokens that no limit counts are no cost. */
  #costOf({ requests, tokens }: Costs) {
    return this.#versions[0]!.some(({ unit }) => unit === "tokens") ? { requests, tokens } : requests;
  }
}

/** A store that is closed answers no call, and nor does one that its server does not. */
function ignoreClosed(error: unknown): void {
  if ((error as { readonly code?: unknown }).code !== "ERR_STORE") throw error;
}
