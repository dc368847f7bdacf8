import { checkOptions, optionError } from "../core/check-options.ts";
import { checkFunction } from "../core/checks.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { notify, warnOfObserver } from "../core/observer.ts";
import type { AnyLimiter } from "../metrics/readings/limiter-readings.ts";
import { type Door, Handler } from "./handler.ts";
import { limiterSource } from "./limiter-source.ts";
import { answerNode, type NodeRequest, type NodeResponse } from "./node-server.ts";
import type { SourceAct } from "./snapshot.ts";
import type { DashboardSource, Looker } from "./source.ts";

export interface DashboardOptions<Native> {
  /**
   * The client's name and what it may do: `undefined` is answered 401. By default every client may look and
   * change nothing, so put the application's own authentication in front.
   */
  readonly authorize?: ((request: Native) => Looker | undefined | Promise<Looker | undefined>) | undefined;
  /** What is shown of a key until the page asks for keys. By default the beginning of its SHA-256. */
  readonly mask?: ((key: string, limiter: string) => string) | undefined;
  /** Gets each change: the application's audit log. The key is as stores have it. */
  readonly onAct?: ((act: SourceAct, looker: Looker) => void) | undefined;
  /** Gets errors that clients do not see. By default the first one is written to stderr. */
  readonly logError?: ((error: unknown) => void) | undefined;
  /** The time of the history. By default the `systemClock`. */
  readonly clock?: Clock | undefined;
}

const NAMES: Readonly<Record<keyof DashboardOptions<never>, true>> = {
  authorize: true,
  mask: true,
  onAct: true,
  logError: true,
  clock: true,
};

/** A dashboard as request handlers. Requests below the path at which it is mounted are its own. */
export interface Dashboard {
  /** For `node:http` and express, also behind a path. */
  readonly node: (request: NodeRequest, response: NodeResponse) => Promise<void>;
  /** For servers of web requests, such as hono, Bun and Deno. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Ends the counting, and the pages that look. */
  close(): void;
  [Symbol.dispose](): void;
}

/**
 * A page that shows what limiters decide: which keys are limited, how close keys are to their limits, and the last
 * hour. It shows the calls that are made from now on, in this process.
 *
 * Put the application's own authentication in front. A client may change something only if `authorize` says so.
 *
 * @throws TollgateError `ERR_OPTION`; `ERR_NAME` for a limiter without a name.
 * @example
 * ```ts
 * import { createLimiter, perMinute } from "tollgate";
 * import { dashboard } from "tollgate/dashboard";
 *
 * const limiter = createLimiter({ name: "api", limits: [perMinute(100)] });
 * const board = dashboard([limiter], { authorize: () => ({ who: "ann", access: "write" }) });
 * const page = await board.fetch(new Request("http://localhost/dashboard/"));
 * console.log(page.status, page.headers.get("content-type")); // 200 text/html; charset=utf-8
 * board.close();
 * ```
 */
export function dashboard<Native = never>(
  limiters: readonly AnyLimiter[],
  options: DashboardOptions<Native> = {},
): Dashboard {
  checkOptions("dashboard", options, NAMES);
  if (!Array.isArray(limiters)) throw optionError("limiters", "a list of limiters", limiters);
  const { authorize = LOOK, clock = systemClock, mask, onAct, logError } = options;
  checkFunction("authorize", authorize, "a function from a request to a looker");
  const source = limiterSource(limiters, clock, onAct, mask && (({ key, limiter }) => mask(key, limiter)));
  return serveDashboard<Native>(source, { authorize }, logError, () => source.close());
}

const LOOK = (): Looker => ({ who: "dashboard", access: "read" });

/**
 * A dashboard over another source than limiters of this process, such as a service of several processes. Exported for
 * the `tollgate` command only: applications call `dashboard`.
 *
 * @internal
 */
export function serveDashboard<Native>(
  source: DashboardSource,
  door: Door<Native>,
  logError: (error: unknown) => void = warnOfObserver,
  onClose: () => void = () => {},
): Dashboard {
  const handler = new Handler<never>(source, door, (error) => notify(logError, error));
  const close = (): void => {
    handler.board.close();
    onClose();
  };
  return {
    node: (request, response) => answerNode(handler as Handler<NodeRequest>, request, response),
    fetch: (request) => (handler as Handler<Request>).answer(request, request),
    close,
    [Symbol.dispose]: close,
  };
}
