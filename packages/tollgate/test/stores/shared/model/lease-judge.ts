import { type LeaseModel, SPENDABLE_MS } from "./lease-caller.ts";
import type { History } from "./linearize.ts";
import type { Call } from "./model-call.ts";
import type { Scenario } from "./scenario.ts";

/** A call that returned, or the one in which a thread died. */
interface Done extends Call {
  readonly outcome: string | undefined;
  readonly thread: number;
  readonly index: number;
  /** How many calls of each thread had returned when it began. */
  readonly returnedBefore: string;
}

const FIRST_THREAD = -1;

/**
 * Decides whether threads may have spent leases so: no unit is spent, returned and left more than once; what a thread
 * reported bounds what is spent later; nothing is spent after the end; two threads do not ask at once. If no thread
 * died, no unit of a single limit is lost.
 */
export class LeaseJudge {
  readonly expected = "units that are spent, returned or left once";
  readonly #scenario: Scenario;
  readonly #limits: number;
  readonly #known = new Map<string, boolean>();

  constructor(scenario: Scenario, { limits }: LeaseModel) {
    this.#scenario = scenario;
    this.#limits = limits;
  }

  get histories(): number {
    return this.#known.size;
  }

  accepts(history: History): boolean {
    const name = JSON.stringify([history.threads, [...history.finalState.values()]]);
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const calls = this.#callsOf(history);
    const isAllowed =
      this.#scenario.keys.every((key) => this.#isConserved(key, calls, history)) &&
      calls.every((call) => this.#isReportedEnough(call, calls, history)) &&
      calls.every((call) => isInTime(call, calls)) &&
      calls.every((call) => isAlone(call, calls));
    this.#known.set(name, isAllowed);
    return isAllowed;
  }

  #callsOf({ threads }: History): Done[] {
    const { before, programs } = this.#scenario;
    const first = before.map(
      (call, index): Done => ({ ...call, outcome: "true", thread: FIRST_THREAD, index, returnedBefore: "" }),
    );
    const others = threads.flatMap(({ outcomes, returnedBefore }, thread) =>
      returnedBefore.map(
        (returned, index): Done => ({
          ...programs[thread]![index]!,
          ...{ outcome: outcomes[index], thread, index, returnedBefore: returned },
        }),
      ),
    );
    return [...first, ...others];
  }

  #isConserved(key: string, calls: readonly Done[], { finalState }: History): boolean {
    const own = calls.filter((call) => call.key === key);
    const left = finalState.get(key)!.split(",").map(Number);
    const hasDied = own.some(({ outcome }) => outcome === undefined);
    return left.every((units, limit) => {
      // A thread may have died after it had put its lease.
      const granted = sum(own, ({ verb, outcome, cost }) => (verb === "charge" && outcome !== "false" ? cost : 0));
      const spent = sum(own, ({ verb, outcome, cost }) => (verb === "allow" && outcome === "true" ? cost : 0));
      const returned = sum(own, (call) => returnedBy(call, limit));
      const used = spent + returned + units;
      const mayBeLost = hasDied || this.#limits > 1 || own.some(({ verb }) => verb === "sweep") || this.#hasEnded;
      return mayBeLost ? used <= granted : used === granted;
    });
  }

  get #hasEnded(): boolean {
    const { before, programs } = this.#scenario;
    const times = [...before, ...programs.flat()].map(({ nowMs }) => nowMs);
    return Math.max(...times) - Math.min(...times) >= SPENDABLE_MS;
  }

  /** What a thread said to be left is at least what is spent or left from then on. */
  #isReportedEnough(report: Done, calls: readonly Done[], { finalState }: History): boolean {
    if (report.verb !== "peek" || report.outcome === undefined) return true;
    if (calls.some(({ verb, thread }) => verb === "charge" && thread !== FIRST_THREAD)) return true;
    const kept = Number(report.outcome.split(" ")[0]!.split(",")[0]);
    const later = calls.filter(({ key, returnedBefore }) => {
      return key === report.key && Number(returnedBefore[report.thread]) > report.index;
    });
    const spent = sum(later, ({ verb, outcome, cost }) => (verb === "allow" && outcome === "true" ? cost : 0));
    return spent + Number(finalState.get(report.key)!.split(",")[0]) <= kept;
  }
}

/** Whether some lease of the key had not ended when a cost was spent. */
function isInTime({ verb, outcome, key, nowMs }: Done, calls: readonly Done[]): boolean {
  if (verb !== "allow" || outcome !== "true") return true;
  return calls.some((call) => call.verb === "charge" && call.key === key && nowMs - call.nowMs < SPENDABLE_MS);
}

/** Whether no other thread had begun to ask shortly before, and not ended it. */
function isAlone(call: Done, calls: readonly Done[]): boolean {
  if (call.verb !== "reserve" || call.outcome !== "true") return true;
  return calls.every((other) => {
    const isRival = other.verb === "reserve" && other.outcome === "true" && other.thread !== call.thread;
    if (!isRival || other.thread === FIRST_THREAD || call.nowMs !== other.nowMs) return true;
    return calls.some(({ verb, thread }) => verb === "settle" && (thread === other.thread || thread === call.thread));
  });
}

function returnedBy({ verb, outcome }: Done, limit: number): number {
  if ((verb !== "refund" && verb !== "peek") || outcome === undefined || outcome === "true") return 0;
  return Number(outcome.split("; ")[1]!.split(" ")[0]!.split(",")[limit] ?? 0);
}

function sum(calls: readonly Done[], unitsOf: (call: Done) => number): number {
  return calls.reduce((units, call) => units + unitsOf(call), 0);
}
