import { type Limit, memoryStore } from "tollgate";
import { createLimits, type Facts, type Limits, type LimitsFile } from "tollgate/config";
import { textOf } from "./bytes.ts";
import type { Entry } from "./formats/entry.ts";
import { greatest } from "./greatest.ts";

/** What limits would have done. */
export interface Judgement {
  readonly denied: { readonly requests: number; readonly clients: number };
  /** Denied requests by rule. */
  readonly rules: ReadonlyMap<string, number>;
  /** The clients with most denials, by their numbers. */
  readonly worst: readonly { readonly client: number; readonly requests: number; readonly denied: number }[];
  /** Clients by the part of their limit that they had left at the worst moment: none, then by tenths. */
  readonly headroom: readonly number[];
  /** The limits under which a request was counted. */
  readonly marks: readonly LimitMark[];
}

/** A limit as a bucket; a window gains its capacity in its length. */
export interface LimitMark {
  readonly name: string;
  readonly capacity: number;
  readonly refill: number;
  readonly perMs: number;
}

const WORST = 20;

/** Decides each request under the limits of a file, over a clock that shows the time of the log, and counts. */
export class Judging {
  readonly #limits: Limits;
  readonly #domain: string;
  #nowMs = 0;
  readonly #seen = new Set<Limit>();
  readonly #rules = new Map<string, number>();
  /** By the numbers of the clients. */
  readonly #requests: Uint32Array;
  readonly #denied: Uint32Array;
  /** The least part of a limit that the client had left. */
  readonly #left: Float32Array;

  /** @param clients How many numbers there are. */
  constructor(file: LimitsFile, domain: string, clients: number) {
    // A client can have a key in several rules.
    const store = memoryStore({ maxKeys: Math.max(1_000, 4 * clients), sweepInterval: "24d" });
    this.#limits = createLimits(file, { clock: { now: () => this.#nowMs }, store });
    this.#domain = domain;
    this.#requests = new Uint32Array(clients);
    this.#denied = new Uint32Array(clients);
    this.#left = new Float32Array(clients).fill(1);
  }

  /** Says whether the request is denied. Times must not go back. */
  add(timeUs: number, client: number, facts: Facts): boolean {
    this.#nowMs = timeUs / 1_000;
    const decision = this.#limits.consume(this.#domain, facts);
    for (const limit of decision.limits) this.#seen.add(limit);
    this.#requests[client]! += 1;
    if (!decision.allowed || decision.shadowDenied !== undefined) {
      this.#denied[client]! += 1;
      this.#rules.set(decision.limiter, (this.#rules.get(decision.limiter) ?? 0) + 1);
      return true;
    }
    const { limit, limitRemaining } = decision;
    const left = limit === undefined || limitRemaining === undefined ? 1 : limitRemaining / limit.capacity;
    if (left < this.#left[client]!) this.#left[client] = left;
    return false;
  }

  judge(): Judgement {
    const denials = this.#denied.filter((denied) => denied > 0);
    const headroom = new Array<number>(11).fill(0);
    this.#requests.forEach((requests, client) => {
      const part = this.#denied[client]! > 0 ? 0 : Math.min(10, 1 + Math.floor(this.#left[client]! * 10));
      if (requests > 0) headroom[part]! += 1;
    });
    return {
      denied: { requests: denials.reduce((sum, denied) => sum + denied, 0), clients: denials.length },
      rules: this.#rules,
      worst: greatest(this.#denied, WORST).map((client) => {
        return { client, requests: this.#requests[client]!, denied: this.#denied[client]! };
      }),
      headroom,
      marks: [...this.#seen].flatMap(markOf),
    };
  }

  close(): void {
    this.#limits.close();
  }
}

function markOf(limit: Limit): LimitMark[] {
  const { name, capacity, unit } = limit;
  if (unit !== "requests") return [];
  if (limit.algorithm === "token-bucket") return [{ name, capacity, refill: limit.refill, perMs: limit.perMs }];
  return "windowMs" in limit ? [{ name, capacity, refill: capacity, perMs: limit.windowMs }] : [];
}

/** What rules ask of a request. */
export function factsOf({ address, details }: Entry): Facts {
  const { method, path, host, userAgent } = details();
  return { ip: textOf(address), method, path, host, header: { host, "user-agent": userAgent } };
}
