import { type Clock, type Decision, memoryStore, TollgateError } from "tollgate";
import { createLimits, type Limits, type LimitsFile } from "tollgate/config";
import { RequestError } from "../http/request-error.ts";
import type { LimitsInForce } from "../limits/limits-in-force.ts";
import { namedFacts } from "../limits/named-facts.ts";
import type { RecentRequest } from "../limits/recent-requests.ts";
import { withoutInflight } from "../limits/without-inflight.ts";
import type { RecentSource } from "./operation-settings.ts";

/** What limits make of the requests. */
export interface Replayed {
  readonly denied: number;
  /** Requests to domains that the limits do not have: they would fail. */
  readonly withoutDomain: number;
}

/** What a rule makes of them. `null` for limits that do not have the rule. */
export interface RuleReplayed {
  readonly counted: number;
  readonly denied: number;
  /** Those that a rule in shadow mode would have denied. */
  readonly wouldDeny: number;
}

export interface DryRunReport {
  readonly requests: number;
  readonly from: string | null;
  /** Whether these are all requests of the last minute. */
  readonly isComplete: boolean;
  /** Facts that the new limits ask for and that were not kept: their rules count as if the facts were missing. */
  readonly unknownFacts: readonly string[];
  /** Rules whose `inflight` denies nothing, because it is not known when a request was over. */
  readonly withoutInflight: readonly string[];
  readonly before: Replayed;
  readonly after: Replayed;
  /** Rules that counted a request, before or after. */
  readonly rules: readonly {
    readonly domain: string;
    readonly rule: string;
    readonly before: RuleReplayed | null;
    readonly after: RuleReplayed | null;
  }[];
}

const MOST_KEYS = 200_000;
/** How long requests are decided before other work runs: the first one of a rule makes its limiter. */
const TURN_MS = 5;

/** Decides the requests of the last minute again, by other limits. One run at a time. */
export class DryRuns {
  readonly #inForce: LimitsInForce;
  readonly #recent: RecentSource | undefined;
  #isRunning = false;

  constructor(inForce: LimitsInForce, recent: RecentSource | undefined) {
    this.#inForce = inForce;
    this.#recent = recent;
  }

  /** @throws RequestError 503 while another one runs. */
  async of(file: LimitsFile): Promise<DryRunReport> {
    if (this.#isRunning) throw new RequestError(503, "another dry run is not over", {}, { "retry-after": "1" });
    this.#isRunning = true;
    try {
      return await this.#report(file);
    } finally {
      this.#isRunning = false;
    }
  }

  async #report(file: LimitsFile): Promise<DryRunReport> {
    // Reading the limits may have taken long.
    await nextTurn();
    const { requests, isComplete } = (await this.#recent?.collect()) ?? { requests: [], isComplete: false };
    const { file: old, rules: oldRules } = withoutInflight(this.#inForce.effective);
    const { file: changed, rules: changedRules } = withoutInflight(this.#inForce.withOverrides(file));
    const before = await replay(requests, old);
    const after = await replay(requests, changed);
    const names = new Set([...before.rules.keys(), ...after.rules.keys()]);
    const first = requests[0];
    return {
      requests: requests.length,
      from: first === undefined ? null : new Date(first.atMs).toISOString(),
      isComplete,
      unknownFacts: unknownFacts(requests, changed),
      withoutInflight: [...new Set([...oldRules, ...changedRules])],
      before: { denied: before.denied, withoutDomain: before.withoutDomain },
      after: { denied: after.denied, withoutDomain: after.withoutDomain },
      rules: [...names].map((name) => {
        const [domain = "", rule = ""] = name.split("/");
        return {
          domain,
          rule,
          before: outcomeOf(before, old, domain, rule),
          after: outcomeOf(after, changed, domain, rule),
        };
      }),
    };
  }
}

/** Lets other work run. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

interface Tally extends Replayed {
  denied: number;
  withoutDomain: number;
  /** By `DOMAIN/RULE`. */
  readonly rules: Map<string, { counted: number; denied: number; wouldDeny: number }>;
}

/** Limits begin with these, because many rules are compiled in steps. */
const NO_LIMITS: LimitsFile = { version: 1, domains: { empty: { limits: { empty: { limit: "unlimited" } } } } };

/** Limiters of their own begin empty, and live in the time of the requests. They have no timers to be closed. */
async function replay(requests: readonly RecentRequest[], file: LimitsFile): Promise<Tally> {
  let nowMs = requests[0]?.atMs ?? 0;
  const clock: Clock = { now: () => nowMs };
  const limits = createLimits(NO_LIMITS, { store: memoryStore({ maxKeys: MOST_KEYS }), clock });
  await limits.updateInSteps(file);
  const domains = new Set(limits.domains);
  const tally: Tally = { denied: 0, withoutDomain: 0, rules: new Map() };
  let endMs = 0;
  for (const request of requests) {
    if (performance.now() >= endMs) {
      await nextTurn();
      endMs = performance.now() + TURN_MS;
    }
    nowMs = request.atMs;
    if (domains.has(request.domain)) decideAgain(limits, request, tally);
    else tally.withoutDomain += 1;
  }
  return tally;
}

function decideAgain(limits: Limits, { domain, facts, cost, isCharge }: RecentRequest, tally: Tally): void {
  const handle = limits.handle(domain, facts);
  const outcomes = handle.rules.map((rule) => {
    const name = `${domain}/${rule}`;
    const outcome = tally.rules.get(name) ?? { counted: 0, denied: 0, wouldDeny: 0 };
    tally.rules.set(name, outcome);
    outcome.counted += 1;
    return { rule, outcome };
  });
  let decision: Decision;
  try {
    if (isCharge) return void handle.charge(cost ?? 1);
    decision = handle.consume(cost);
  } catch (error) {
    // A cost that the other limits do not know.
    if (error instanceof TollgateError) return;
    throw error;
  }
  const { shadowDenied = [] } = decision;
  if (!decision.allowed) tally.denied += 1;
  const denying = decision.allowed ? [] : decision.violated;
  for (const { rule, outcome } of outcomes) {
    const isOwn = ({ name }: { readonly name: string }): boolean => ruleOfLimit(name, handle.rules) === rule;
    if (denying.some(isOwn) || isDeniedWithoutLimit(decision, domain, rule)) outcome.denied += 1;
    if (shadowDenied.some(isOwn)) outcome.wouldDeny += 1;
  }
}

/** `deny` in place of limits violates none. */
function isDeniedWithoutLimit(decision: Decision, domain: string, rule: string): boolean {
  return !decision.allowed && decision.violated.length === 0 && decision.limiter === `${domain}/${rule}`;
}

/** Limits are named `RULE.WORD`, and rules may have dots: the longest one it is. */
function ruleOfLimit(limit: string, rules: readonly string[]): string | undefined {
  return rules
    .filter((rule) => limit.startsWith(`${rule}.`))
    .reduce<string | undefined>((longest, rule) => (rule.length > (longest?.length ?? 0) ? rule : longest), undefined);
}

function outcomeOf({ rules }: Tally, file: LimitsFile, domain: string, rule: string): RuleReplayed | null {
  if (file.domains[domain]?.limits[rule] === undefined) return null;
  return rules.get(`${domain}/${rule}`) ?? { counted: 0, denied: 0, wouldDeny: 0 };
}

/** Facts that requests were kept without, or whose text was not kept. */
function unknownFacts(requests: readonly RecentRequest[], file: LimitsFile): string[] {
  const kinds = new Set(requests.map(({ kept }) => kept));
  return [...namedFacts(file)].flatMap(([name, use]) =>
    [...kinds].every((kept) => kept.get(name) === "text" || kept.get(name) === use) ? [] : [name],
  );
}
