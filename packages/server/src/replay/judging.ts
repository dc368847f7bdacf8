import type { LimitsFile } from "tollgate/config";
import { ClientCounts } from "./client-counts.ts";
import { LimitsRun, type LoggedRequest } from "./limits-run.ts";
import { Timeline } from "./timeline.ts";

/** What limits would have done. */
export interface Judgement {
  readonly denied: { readonly requests: number; readonly clients: number };
  /** Denied requests by rule. */
  readonly rules: ReadonlyMap<string, number>;
  /** The clients with most denials, by their numbers. */
  readonly worst: readonly { readonly client: number; readonly requests: number; readonly denied: number }[];
  /** Clients by the part of their limit that they had left at the worst moment: none, then by tenths. */
  readonly headroom: readonly number[];
  readonly timeline: Timeline;
}

const WORST = 20;

/** Decides each request under the limits of a file, and counts. */
export class Judging {
  readonly #limits: LimitsRun;
  readonly #counts = new ClientCounts();
  readonly #timeline = new Timeline();
  readonly #rules = new Map<string, number>();

  constructor(file: LimitsFile, domain: string, maxKeys: number) {
    this.#limits = new LimitsRun(file, domain, maxKeys);
  }

  add(timeUs: number, request: LoggedRequest): void {
    const { isDenied, rule, left } = this.#limits.decide(timeUs, request);
    this.#counts.add(request.client, isDenied, left);
    this.#timeline.add(timeUs, isDenied);
    if (isDenied) this.#rules.set(rule, (this.#rules.get(rule) ?? 0) + 1);
  }

  judge(): Judgement {
    const counts = this.#counts;
    return {
      denied: { requests: counts.deniedRequests, clients: counts.deniedClients },
      rules: this.#rules,
      worst: counts.worst(WORST),
      headroom: counts.headroom(),
      timeline: this.#timeline,
    };
  }

  close(): void {
    this.#limits.close();
  }
}
