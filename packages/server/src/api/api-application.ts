import { createLimits, type Limits } from "tollgate/config";
import type { Application } from "../application.ts";
import { checkRoutes, checkTrust } from "../check/check-routes.ts";
import type { Routes } from "../http/route-table.ts";
import { logDegraded } from "../limits/degraded-log.ts";
import type { LimitsContext } from "../limits/limits-context.ts";
import { LimitsError, LimitsFiles } from "../limits/limits-files.ts";
import { limitsHealth } from "../limits/limits-health.ts";
import type { LimitsSettings } from "../limits/limits-settings.ts";
import { readWithoutBlocking } from "../limits/read-in-thread.ts";
import { readLimitsFiles } from "../limits/read-limits-files.ts";
import { openStore } from "../limits/store.ts";
import { clientName } from "../log/client-name.ts";
import { decideRoute } from "./decide-route.ts";
import { OpenReservations } from "./open-reservations.ts";

/** The limits themselves are for other protocols. */
export interface ApiApplication extends Application {
  readonly limits: Limits | Limits<"async">;
}

/**
 * Opens the limits of limits files, over HTTP: for clients that ask, and for proxies.
 *
 * @throws FilesError, LimitsError or TollgateError, before anything is left open.
 */
export async function openApi(settings: LimitsSettings, context: LimitsContext): Promise<ApiApplication> {
  const { clock, log } = context;
  const files = await LimitsFiles.open({
    path: settings.path,
    compile: readLimitsFiles,
    recompile: readWithoutBlocking,
    replace: (file) => limits.updateInSteps(file),
    log,
  });
  const { store, close } = await openStore(settings, log);
  const limits: Limits | Limits<"async"> = createLimits(files.first, { store, clock });
  const limitsStatus = () => files.status;
  const limiters = limits.domains.map((domain) => limits.limiter(domain));
  const endLog = logDegraded(limiters, log);
  const end = async (): Promise<void> => {
    files.close();
    endLog();
    await limits.close();
    await close();
  };
  let checks: Routes;
  try {
    checks = checksOf(limits, settings, context);
  } catch (error) {
    await end();
    throw error;
  }
  return {
    routes: { "/v1/decide": decideRoute(limits, new OpenReservations(clock)), ...checks },
    adminRoutes: {},
    limits,
    limiters,
    health: limitsHealth(limitsStatus),
    limitsStatus,
    reload: () => files.reload(),
    close: end,
  };
}

/** The routes for proxies, which ask about requests to one domain. */
function checksOf(limits: Limits | Limits<"async">, settings: LimitsSettings, context: LimitsContext): Routes {
  const { trustProxy, requestLog } = context;
  const { path, checkDomain: domain = limits.domains[0] } = settings;
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
      requestLog.denied(request, denial, () => clientName(facts().remoteAddress ?? "unknown"), facts),
  });
}
