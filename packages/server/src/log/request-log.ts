import type { IncomingMessage } from "node:http";
import { type Denied, TollgateError } from "tollgate";
import { factsOf, type HttpFacts } from "tollgate/node";
import type { RequestIds } from "../http/request-ids.ts";
import type { Log } from "./log.ts";
import { SampledLog } from "./sampled-log.ts";

export interface RequestLogSettings {
  readonly log: Log;
  /** `undefined`: requests have no ids. */
  readonly ids: RequestIds | undefined;
  /** The most lines about the denials of a limiter in an interval. */
  readonly denials: number;
  readonly intervalMs: number;
}

/** The most lines about failures in an interval. */
const FAILURES = 10;
/** A path may be as long as a head. */
const MOST_PATH_CHARACTERS = 256;

/** Logs which requests were denied, and which failed: a sample, so that a flood of requests is no flood of lines. */
export class RequestLog {
  readonly #settings: RequestLogSettings;
  readonly #samples = new Map<string, SampledLog>();

  constructor(settings: RequestLogSettings) {
    this.#settings = settings;
  }

  /**
   * Notes a denial. `nameOf` is asked for the client, and `facts` for the request that was denied, only if the sample
   * may include them.
   */
  denied(
    request: IncomingMessage,
    denial: Denied,
    nameOf: () => string,
    facts: () => HttpFacts = () => factsOf(request),
  ): void {
    const { limiter, limit, reason, retryAfterMs } = denial;
    this.#sample("denials", limiter).note(nameOf, () => ({
      level: "info",
      event: "denied",
      fields: {
        limiter,
        limit: limit?.name,
        reason,
        client: nameOf(),
        ...this.#request(request, facts()),
        retry_after_ms: retryAfterMs,
      },
    }));
  }

  /** Notes a failure: one line for each kind of error in an interval. */
  failed(error: unknown, request: IncomingMessage): void {
    const fields = this.#request(request, factsOf(request));
    const what = String(error);
    this.#sample("failures").note(
      () => kindOf(error),
      () => ({
        level: "error",
        event: "failed",
        text: `${fields.method} ${fields.path} failed: ${what}`,
        fields: { ...fields, error: what },
      }),
    );
  }

  /** Notes a request without a known token: one line for each client in an interval. */
  unauthorized(request: IncomingMessage): void {
    const client = request.socket.remoteAddress ?? "unknown";
    this.#sample("unauthorized").note(
      () => client,
      () => ({ level: "warn", event: "unauthorized", fields: { client, ...this.#request(request, factsOf(request)) } }),
    );
  }

  /** Says what was left out so far. */
  close(): void {
    for (const sample of this.#samples.values()) sample.flush();
  }

  #sample(what: "denials" | "failures" | "unauthorized", limiter?: string): SampledLog {
    const id = `${what} ${limiter}`;
    const known = this.#samples.get(id);
    if (known !== undefined) return known;
    const { log, denials, intervalMs } = this.#settings;
    const made = new SampledLog(log, {
      most: what === "denials" ? denials : FAILURES,
      intervalMs,
      leftOut: (count) => ({ level: "warn", event: `${what}-left-out`, fields: { limiter, count } }),
    });
    this.#samples.set(id, made);
    return made;
  }

  /** Without the query, which may contain secrets. */
  #request(
    request: IncomingMessage,
    { method, path }: HttpFacts,
  ): Record<"method" | "path" | "request_id", string | undefined> {
    return { method, path: path.slice(0, MOST_PATH_CHARACTERS), request_id: this.#settings.ids?.of(request) };
  }
}

/** An error's message may differ from call to call. */
function kindOf(error: unknown): string {
  if (error instanceof TollgateError) return error.code;
  return error instanceof Error ? error.name : typeof error;
}
