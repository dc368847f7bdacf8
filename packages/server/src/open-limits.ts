import type { Application } from "./application.ts";
import { isEnvoy } from "./limits/is-envoy.ts";
import type { LimitsContext } from "./limits/limits-context.ts";
import type { LimitsSettings } from "./limits/limits-settings.ts";

/**
 * Opens limits in files, whichever kind they are.
 *
 * @throws FilesError, LimitsError or TollgateError, before anything is left open.
 */
export async function openLimits(settings: LimitsSettings, context: LimitsContext): Promise<Application> {
  if (context.followed === undefined && (await isEnvoy(settings))) {
    const { openEnvoyApplication } = await import("./envoy/envoy-application.ts");
    return openEnvoyApplication(settings, context);
  }
  const { openApi } = await import("./api/api-application.ts");
  const { withEnvoyProtocol } = await import("./envoy/limits-protocol.ts");
  const { LimitsDecider } = await import("./envoy/limits-decider.ts");
  const { limits, recent, ...application } = await openApi(settings, context);
  return withEnvoyProtocol(application, new LimitsDecider(limits, recent), context.log);
}
