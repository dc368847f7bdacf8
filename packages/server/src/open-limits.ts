import type { Application } from "./application.ts";
import { FilesError, readTexts } from "./files/read-texts.ts";
import { isEnvoyFile } from "./limits/is-envoy.ts";
import type { LimitsContext } from "./limits/limits-context.ts";
import type { LimitsSettings } from "./limits/limits-settings.ts";

/**
 * Opens limits in files, whichever kind they are.
 *
 * @throws FilesError, LimitsError or TollgateError, before anything is left open.
 */
export async function openLimits(settings: LimitsSettings, context: LimitsContext): Promise<Application> {
  if (isEnvoyFile(await readTexts(settings.path))) {
    const { openEnvoyApplication } = await import("./envoy/envoy-application.ts");
    return openEnvoyApplication(settings, context.clock, context.log);
  }
  if (settings.shadow) {
    throw new FilesError(
      `${settings.path}: expected files of Envoy's ratelimit with --shadow; a rule has mode: shadow`,
    );
  }
  const { openApi } = await import("./api/api-application.ts");
  const { withEnvoyProtocol } = await import("./envoy/limits-protocol.ts");
  return withEnvoyProtocol(await openApi(settings, context), context.log);
}
