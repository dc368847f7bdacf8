import type { LimitsFile } from "tollgate/config";
import { ClientCounts } from "./client-counts.ts";
import { type LimitMark, LimitsRun, type LoggedRequest } from "./limits-run.ts";

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

const WORST = 20;

/** Decides each request under the limits of a file, and counts. */
export class Judging {
  readonly #limits: LimitsRun;
  readonly #counts = new ClientCounts();
  readonly #rules = new Map<string, number>();

  constructor(file: LimitsFile, domain: string, maxKeys: number) {
    this.#limits = new LimitsRun(file, domain, maxKeys);
  }

  /** Says whether the request is denied. */
  add(timeUs: number, request: LoggedRequest): boolean {
    const { isDenied, rule, left } = this.#limits.decide(timeUs, request);
    this.#counts.add(request.client, isDenied, left);
    if (isDenied) this.#rules.set(rule, (this.#rules.get(rule) ?? 0) + 1);
    return isDenied;
  }

  judge(): Judgement {
    const counts = this.#counts;
    return {
      denied: { requests: counts.deniedRequests, clients: counts.deniedClients },
      rules: this.#rules,
      worst: counts.worst(WORST),
      headroom: counts.headroom(),
      marks: this.#limits.marks(),
    };
  }

  close(): void {
    this.#limits.close();
  }
}
