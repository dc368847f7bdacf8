import { memoryStore } from "tollgate";
import { createLimits, type Facts, type Limits, type LimitsFile, type RuleWords } from "tollgate/config";
import type { Entry } from "./formats/entry.ts";

/** What the limits of a file say of one request. */
export interface Verdict {
  readonly isDenied: boolean;
  /** The rule that denied, such as `api/login`. */
  readonly rule: string;
  /** The part of the binding limit that is left: 0 to 1, and 1 where nothing limits. */
  readonly left: number;
}

/** The limits of a file over a clock that shows the time of the log. */
export class LimitsRun {
  readonly #limits: Limits;
  readonly #domain: string;
  #nowMs = 0;

  /** @param maxKeys Keys that memory has at most. */
  constructor(file: LimitsFile, domain: string, maxKeys: number) {
    const clock = { now: () => this.#nowMs };
    this.#limits = createLimits(file, { clock, store: memoryStore({ maxKeys, sweepInterval: "24d" }) });
    this.#domain = domain;
  }

  /** Times must not go back. */
  decide(timeUs: number, entry: Entry): Verdict {
    this.#nowMs = timeUs / 1_000;
    const decision = this.#limits.consume(this.#domain, factsOf(entry));
    const shadow = decision.shadowDenied !== undefined;
    if (!decision.allowed || shadow) return { isDenied: true, rule: decision.limiter, left: 0 };
    const { limit, limitRemaining } = decision;
    const left = limit === undefined || limitRemaining === undefined ? 1 : limitRemaining / limit.capacity;
    return { isDenied: false, rule: "", left };
  }

  close(): void {
    this.#limits.close();
  }
}

function factsOf({ address, method, path, host, userAgent }: Entry): Facts {
  return { ip: address, method, path, host, header: { "user-agent": userAgent, host } };
}

/** The file without `inflight`: a log does not tell how many requests were running. Also the rules that had it. */
export function withoutInflight(file: LimitsFile): { readonly file: LimitsFile; readonly rules: readonly string[] } {
  const rules: string[] = [];
  const domains = mapValues(file.domains, (domain, words) => ({
    ...words,
    limits: mapValues(words.limits, (rule, { inflight, ...others }): RuleWords => {
      if (inflight === undefined) return others;
      rules.push(`${domain}/${rule}`);
      return LIMITS.some((word) => word in others) ? others : { ...others, limit: "unlimited" };
    }),
  }));
  return { file: { ...file, domains }, rules };
}

const LIMITS = ["rate", "within", "quota", "limit"];

function mapValues<From, To>(record: Readonly<Record<string, From>>, map: (name: string, value: From) => To) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(name, value)]));
}
