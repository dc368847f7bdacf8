import { type Limit, memoryStore } from "tollgate";
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

/** A limit as a bucket; a window gains its capacity in its length. */
export interface LimitMark {
  readonly name: string;
  readonly capacity: number;
  readonly refill: number;
  readonly perMs: number;
}

/** The limits of a file over a clock that shows the time of the log. */
export class LimitsRun {
  readonly #limits: Limits;
  readonly #domain: string;
  readonly #seen = new Map<string, Limit>();
  #latest: readonly Limit[] = [];
  #nowMs = 0;

  /** @param maxKeys Keys that memory has at most. */
  constructor(file: LimitsFile, domain: string, maxKeys: number) {
    const clock = { now: () => this.#nowMs };
    this.#limits = createLimits(file, { clock, store: memoryStore({ maxKeys, sweepInterval: "24d" }) });
    this.#domain = domain;
  }

  /** Times must not go back. */
  decide(timeUs: number, request: LoggedRequest): Verdict {
    this.#nowMs = timeUs / 1_000;
    const decision = this.#limits.consume(this.#domain, request);
    // Mostly the same list.
    if (decision.limits !== this.#latest) {
      this.#latest = decision.limits;
      for (const limit of decision.limits) this.#seen.set(limit.name, limit);
    }
    const shadow = decision.shadowDenied !== undefined;
    if (!decision.allowed || shadow) return { isDenied: true, rule: decision.limiter, left: 0 };
    const { limit, limitRemaining } = decision;
    const left = limit === undefined || limitRemaining === undefined ? 1 : limitRemaining / limit.capacity;
    return { isDenied: false, rule: "", left };
  }

  /** The limits that counted requests, as buckets. */
  marks(): LimitMark[] {
    return [...this.#seen.values()].flatMap((limit) => {
      const { name, capacity, unit } = limit;
      if (unit !== "requests") return [];
      if (limit.algorithm === "token-bucket") return [{ name, capacity, refill: limit.refill, perMs: limit.perMs }];
      return "windowMs" in limit ? [{ name, capacity, refill: capacity, perMs: limit.windowMs }] : [];
    });
  }

  close(): void {
    this.#limits.close();
  }
}

/** What rules ask of a request, and which client sent it. */
export class LoggedRequest implements Facts {
  readonly ip: string;
  readonly method: string;
  readonly path: string;
  readonly host: string;
  readonly userAgent: string;
  readonly client: number;

  constructor({ address, method, path, host, userAgent }: Entry, client: number) {
    this.ip = address;
    this.method = method;
    this.path = utf8(path);
    this.host = host;
    this.userAgent = userAgent;
    this.client = client;
  }

  header(name: string): string | undefined {
    return name === "user-agent" ? this.userAgent : name === "host" ? this.host : undefined;
  }
}

/** Lines are read as Latin-1, a character a byte. */
function utf8(text: string): string {
  return NOT_ASCII.test(text) ? Buffer.from(text, "latin1").toString("utf8") : text;
}

const NOT_ASCII = /[\u0080-\u00ff]/;

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
