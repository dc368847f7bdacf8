import { checkOnFailure } from "../../../core/check-on-failure.ts";
import type { Plan } from "../../../core/plan.ts";
import { Report } from "../../../core/report.ts";
import type { LimiterContext, OnFailure } from "../../../core/store.ts";
import type { Taken } from "../../../core/taken.ts";
import { VERBS, type Verb } from "../../../core/verbs.ts";
import { type FailurePolicy, NO_QUOTA_STATE, type QuotaCall, type QuotaState, uncounted } from "./failure-policy.ts";
import { LocalFraction } from "./local-fraction.ts";

/**
 * The policy of a store, in whose place a limiter may have its own.
 *
 * @throws TollgateError `ERR_OPTION`.
 */
export function failurePolicyOf(onFailure: OnFailure): FailurePolicy {
  return new PolicyPerLimiter(policyOf(checkOnFailure(onFailure)));
}

function policyOf(onFailure: OnFailure): FailurePolicy {
  if (onFailure === "allow") return ALLOWS;
  if (onFailure === "deny") return DENIES;
  return new LocalFraction(onFailure.fallback, onFailure.share);
}

class Always implements FailurePolicy {
  readonly #admits: boolean;

  constructor(admits: boolean) {
    this.#admits = admits;
  }

  open(): QuotaState {
    return NO_QUOTA_STATE;
  }

  decide(): Report {
    return uncounted(this.#admits);
  }
}

const ALLOWS = new Always(true);
const DENIES = new Always(false);

/** Calls that one policy decides, and their places among all calls. */
interface Group {
  readonly policy: FailurePolicy;
  readonly calls: QuotaCall[];
  readonly places: number[];
}

class PolicyPerLimiter implements FailurePolicy {
  readonly #ofStore: FailurePolicy;
  /** By the option: it notes which limiters it knows. */
  readonly #ofLimiters = new WeakMap<object, FailurePolicy>();

  constructor(ofStore: FailurePolicy) {
    this.#ofStore = ofStore;
  }

  open(plan: Plan, context: LimiterContext): QuotaState {
    const { onFailure } = context;
    if (onFailure === undefined) return this.#ofStore.open(plan, context);
    const policy = this.#policyOf(onFailure);
    return new StateOfLimiter(policy, policy.open(plan, context));
  }

  decide(verb: Verb, calls: readonly QuotaCall[], nowUs: number, taken?: readonly Taken[]): Report {
    if (!calls.some(({ quotaState }) => quotaState instanceof StateOfLimiter))
      return this.#ofStore.decide(verb, calls, nowUs, taken);
    const groups = this.#groupsOf(calls);
    if (groups.length === 1) return groups[0]!.policy.decide(verb, groups[0]!.calls, nowUs, taken);
    const receipts = groups.map(({ places }) => taken && places.map((place) => taken[place]!));
    const { takes, changes } = VERBS[verb];
    const decideEach = (by: Verb) =>
      groups.map(({ policy, calls: own }, i) => policy.decide(by, own, nowUs, receipts[i]));
    // Nothing runs in between, so what conforms is taken.
    const judged = takes === "if all conform" ? decideEach("peek") : decideEach(verb);
    const admitted = judged.every((report) => report.admitted);
    if (!admitted && groups.some(({ policy }, i) => !judged[i]!.admitted && policy === DENIES)) return uncounted(false);
    const reports = takes === "if all conform" && changes && admitted ? decideEach(verb) : judged;
    return joined(calls, groups, reports);
  }

  #policyOf(onFailure: OnFailure): FailurePolicy {
    if (typeof onFailure === "string") return policyOf(onFailure);
    const known = this.#ofLimiters.get(onFailure);
    if (known !== undefined) return known;
    const made = policyOf(onFailure);
    this.#ofLimiters.set(onFailure, made);
    return made;
  }

  #groupsOf(calls: readonly QuotaCall[]): readonly Group[] {
    const groups = new Map<FailurePolicy, Group>();
    for (const [i, call] of calls.entries()) {
      const { quotaState } = call;
      const isOwn = quotaState instanceof StateOfLimiter;
      const policy = isOwn ? quotaState.policy : this.#ofStore;
      const group = groups.get(policy) ?? { policy, calls: [], places: [] };
      group.calls.push(isOwn ? { ...call, quotaState: quotaState.state } : call);
      group.places.push(i);
      groups.set(policy, group);
    }
    return [...groups.values()];
  }
}

/** The state of a plan under the policy of its limiter. */
class StateOfLimiter implements QuotaState {
  readonly policy: FailurePolicy;
  readonly state: QuotaState;

  constructor(policy: FailurePolicy, state: QuotaState) {
    this.policy = policy;
    this.state = state;
  }

  watchSweeps(): void {
    this.state.watchSweeps?.();
  }

  drop(key: string): void {
    this.state.drop(key);
  }

  clear(): void {
    this.state.clear();
  }

  release(): void {
    this.state.release();
  }
}

/** One report in the order of the calls. What a policy does not count is idle. */
function joined(calls: readonly QuotaCall[], groups: readonly Group[], reports: readonly Report[]): Report {
  const admitted = reports.every((report) => report.admitted);
  if (!reports.some(({ hasEntries }) => hasEntries)) return uncounted(admitted);
  const whole = new Report();
  const from = calls.map(() => ({ report: whole, at: -1 }));
  for (const [i, { places }] of groups.entries()) {
    let at = 0;
    for (const place of places) {
      from[place] = { report: reports[i]!, at };
      at += calls[place]!.costs.length;
    }
  }
  for (const [i, { costs }] of calls.entries()) {
    const { report, at } = from[i]!;
    if (report.hasEntries) whole.addEntries(report, at, at + costs.length);
    else for (const _ of costs) whole.addIdleEntry();
  }
  whole.admitted = admitted;
  whole.overflow = reports.find(({ overflow }) => overflow !== undefined)?.overflow;
  return whole;
}
