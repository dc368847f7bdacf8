import { createLimits, type Limits } from "tollgate/config";
import type { Application } from "../application.ts";
import { checkRoutes, checkTrust } from "../check/check-routes.ts";
import type { Routes } from "../http/route-table.ts";
import type { LimitsContext } from "../limits/limits-context.ts";
import { LimitsError, LimitsFiles } from "../limits/limits-files.ts";
import { inForceHealth } from "../limits/limits-health.ts";
import { LimitsInForce } from "../limits/limits-in-force.ts";
import type { LimitsSettings } from "../limits/limits-settings.ts";
import { readLimitsFiles, readLimitsLater } from "../limits/read-limits-files.ts";
import { RecentRequests } from "../limits/recent-requests.ts";
import { openStore } from "../limits/store.ts";
import { clientName } from "../log/client-name.ts";
import { auditOwnChange } from "../operations/audit-own-change.ts";
import { operationRoutes } from "../operations/operation-routes.ts";
import { decideRoute } from "./decide-route.ts";
import { OpenReservations } from "./open-reservations.ts";

/**
 * Opens the limits of limits files, over HTTP: for clients that ask, and for proxies.
 *
 * @throws FilesError, LimitsError or TollgateError, before anything is left open.
 */
export async function openApi(settings: LimitsSettings, context: LimitsContext): Promise<Application> {
  const { clock, log } = context;
  const files = await LimitsFiles.open({
    path: settings.path,
    compile: readLimitsFiles,
    recompile: readLimitsLater,
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
  const limitsStatus = () => files.status;
  const end = async (): Promise<void> => {
    files.close();
    inForce.close();
    await close();
  };
  const checkDomain = settings.checkDomain ?? limits.domains[0];
  let checks: Routes;
  try {
    checks = checksOf(limits, checkDomain, recent, settings, context);
  } catch (error) {
    await end();
    throw error;
  }
  return {
    routes: { "/v1/decide": decideRoute(limits, new OpenReservations(clock), recent), ...checks },
    adminRoutes: operationRoutes({ inForce, recent, clock, log, checkDomain }),
    limiters: limits.domains.map((domain) => limits.limiter(domain)),
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
