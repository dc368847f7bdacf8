import type { Clock } from "tollgate";
import { createLimits } from "tollgate/config";
import type { Application } from "../application.ts";
import { LimitsFiles } from "../limits/limits-files.ts";
import { limitsHealth } from "../limits/limits-health.ts";
import type { LimitsSettings } from "../limits/limits-settings.ts";
import { readLimitsFiles } from "../limits/read-limits-files.ts";
import { openStore } from "../limits/store.ts";
import type { Log } from "../log/log.ts";
import { decideRoute } from "./decide-route.ts";
import { OpenReservations } from "./open-reservations.ts";

/**
 * Opens the limits of limits files, over HTTP.
 *
 * @throws FilesError, LimitsError or TollgateError, before anything is left open.
 */
export async function openApi({ path, ...settings }: LimitsSettings, clock: Clock, log: Log): Promise<Application> {
  const files = await LimitsFiles.open({
    path,
    compile: readLimitsFiles,
    replace: (file) => limits.update(file),
    log,
  });
  const { store, close } = await openStore(settings, log);
  const limits = createLimits(files.first, { store, clock });
  const limitsStatus = () => files.status;
  return {
    routes: { "/v1/decide": decideRoute(limits, new OpenReservations(clock)) },
    adminRoutes: {},
    limiters: [],
    health: limitsHealth(limitsStatus),
    limitsStatus,
    reload: () => files.reload(),
    close: async () => {
      files.close();
      await close();
    },
  };
}
