import { createLimits, type Limits } from "tollgate/config";
import type { Application } from "../application.ts";
import { checkRoutes, checkTrust } from "../check/check-routes.ts";
import type { Routes } from "../http/route-table.ts";
import { withDomain } from "../limits/check-domain.ts";
import { logDegraded } from "../limits/degraded-log.ts";
import type { LimitsContext } from "../limits/limits-context.ts";
import { LimitsError, LimitsFiles } from "../limits/limits-files.ts";
import { inForceHealth } from "../limits/limits-health.ts";
import { LimitsInForce } from "../limits/limits-in-force.ts";
import type { LimitsSettings } from "../limits/limits-settings.ts";
import { readWithoutBlocking } from "../limits/read-in-thread.ts";
import { readLimitsFiles } from "../limits/read-limits-files.ts";
import { RecentRequests } from "../limits/recent-requests.ts";
import { openStore } from "../limits/store.ts";
import { clientName } from "../log/client-name.ts";
import { auditOwnChange } from "../operations/audit-own-change.ts";
import { operationRoutes } from "../operations/operation-routes.ts";
import { decide } from "./decide.ts";
import type { DecideRequest } from "./decide-request.ts";
import { decideRoute } from "./decide-route.ts";
import { OpenReservations } from "./open-reservations.ts";

/** The limits themselves are for other protocols. */
export interface ApiApplication extends Application {
  readonly limits: Limits | Limits<"async">;
  /** Set if operators may ask for what would be denied. */
  readonly recent: RecentRequests | undefined;
}

/**
 * Opens the limits of limits files, over HTTP: for clients that ask, and for proxies.
 *
 * @throws FilesError, LimitsError or TollgateError, before anything is left open.
 */
export async function openApi(settings: LimitsSettings, context: LimitsContext): Promise<ApiApplication> {
  const { clock, log } = context;
  // Not known while the first files are read.
  let checkDomain: string | undefined;
  const files = await LimitsFiles.open({
    path: settings.path,
    compile: readLimitsFiles,
    recompile: async (texts) => withDomain(await readWithoutBlocking(texts), checkDomain, settings.path),
    replace: (file) => inForce.takeFiles(file),
    log,
  });
  const { store, close } = await openStore(settings, log);
  const limits: Limits | Limits<"async"> = createLimits(files.first, { store, clock });
  // Only operators ask for it.
  const recent = context.hasOperators ? new RecentRequests(clock) : undefined;
  const inForce = new LimitsInForce({
    limits,
    file: files.first,
    clock,
    onOwnChange: (change) => auditOwnChange(log, change),
    onInstall: (file) => recent?.keepFactsOf(file),
  });
  const reservations = new OpenReservations(clock, context.peers);
  // A client may settle on another connection, which another process may have accepted.
  context.peers?.onQuestion((question) => decide(limits, reservations, question as DecideRequest));
  const limitsStatus = () => files.status;
  const limiters = limits.domains.map((domain) => limits.limiter(domain));
  const endLog = logDegraded(limiters, log);
  const end = async (): Promise<void> => {
    files.close();
    endLog();
    inForce.close();
    await limits.close();
    await close();
  };
  checkDomain = settings.checkDomain ?? limits.domains[0];
  let checks: Routes;
  try {
    checks = checksOf(limits, checkDomain, recent, settings, context);
  } catch (error) {
    await end();
    throw error;
  }
  return {
    routes: { "/v1/decide": decideRoute(limits, reservations, recent), ...checks },
    adminRoutes: operationRoutes({ inForce, recent, clock, log, checkDomain }),
    limits,
    recent,
    limiters,
    health: inForceHealth(limitsStatus, inForce),
    limitsStatus,
    inForce,
    reload: () => files.reload(),
    close: end,
  };
}

/** The routes for proxies, which ask about requests to one domain. */
function checksOf(
  limits: Limits | Limits<"async">,
  domain: string | undefined,
  recent: RecentRequests | undefined,
  { path }: LimitsSettings,
  { trustProxy, requestLog }: LimitsContext,
): Routes {
  if (domain === undefined) return {};
  if (!limits.domains.includes(domain)) {
    const got = limits.domains.map((name) => JSON.stringify(name)).join(", ");
    const message = `domains: expected ${JSON.stringify(domain)}, which --check-domain names, got ${got}`;
    throw new LimitsError([{ file: path, line: 1, column: 1, message }]);
  }
  return checkRoutes({
    limiter: limits.limiter(domain),
    trustProxy: checkTrust(trustProxy),
    logError: (error, request) => requestLog.failed(error, request),
    noteDenial: (request, denial, facts) =>
      requestLog.denied(request, denial, () => clientName(`1:${facts().remoteAddress ?? "unknown"}`), facts),
    ...(recent !== undefined && { noteFacts: (facts) => recent.note(domain, facts, undefined, "consume") }),
  });
}
