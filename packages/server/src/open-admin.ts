import type { Admin, AdminOptions } from "./admin/admin.ts";
import type { AdminSettings } from "./admin/admin-settings.ts";
import type { Application } from "./application.ts";
import type { LogEvents } from "./dashboard/log-events.ts";
import type { ServiceSourceSettings } from "./dashboard/service-source.ts";

/** What operators reach: the limits of this process, or those of all workers. */
export type Reached = Pick<Application, "adminRoutes" | "health" | "operations" | "limitsStatus">;

export interface AdminParts extends Pick<AdminOptions, "log" | "isReady" | "metrics" | "tls" | "clock"> {
  readonly events: LogEvents;
  readonly processes: ServiceSourceSettings["processes"];
}

/**
 * Opens the admin listener, if there are settings, with a dashboard if its tokens may change limits. Loads what only
 * these need.
 *
 * @throws ListenError when the address is not available.
 */
export async function openAdmin(
  settings: AdminSettings | undefined,
  { adminRoutes: routes, health, operations, limitsStatus: status }: Reached,
  { events, processes, ...parts }: AdminParts,
): Promise<Admin | undefined> {
  if (settings === undefined) return undefined;
  const { startAdmin } = await import("./admin/admin.ts");
  const options = { ...settings, ...parts, routes, health };
  if (operations === undefined || status === undefined || settings.tokens === undefined) return startAdmin(options);
  const { dashboardRoutes } = await import("./dashboard/dashboard-routes.ts");
  const { serviceSource } = await import("./dashboard/service-source.ts");
  return startAdmin({
    ...options,
    openDashboard: (tokens, metrics) => {
      const source = serviceSource({ operations, status, events, processes, families: () => metrics.collect() });
      return dashboardRoutes(source, tokens, parts.log);
    },
  });
}
