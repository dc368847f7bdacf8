import type { Application } from "../application.ts";
import { LimiterSet } from "../limiter-set.ts";
import { readWithoutBlocking } from "../limits/in-thread.ts";
import type { LimitsContext } from "../limits/limits-context.ts";
import { LimitsFiles } from "../limits/limits-files.ts";
import { limitsHealth } from "../limits/limits-health.ts";
import type { LimitsSettings } from "../limits/limits-settings.ts";
import { openStore } from "../limits/store.ts";
import { compileWords, readWords } from "./configuration.ts";
import { configurationLines, configurationRoute } from "./configuration-lines.ts";
import { withEnvoyProtocol } from "./limits-protocol.ts";
import { RateLimits } from "./rate-limits.ts";

// Threads run the built file, also when the tests run this one.
const THREAD = new URL("../../dist/envoy/parse-thread.js", import.meta.url);

/**
 * Opens the limits of Envoy's files, over gRPC and HTTP.
 *
 * @throws FilesError, LimitsError or TollgateError, before anything is left open.
 */
export async function openEnvoyApplication(settings: LimitsSettings, context: LimitsContext): Promise<Application> {
  const { path, shadow } = settings;
  const { clock, log } = context;
  const files = await LimitsFiles.open(path, log, readWords);
  const { store, close } = await openStore(settings, context);
  const limits = new RateLimits({ store, clock, configuration: compileWords(files.first), shadow });
  files.watch({
    recompile: (texts) => readWithoutBlocking(texts, readWords, THREAD),
    replace: (words) => limits.replace(compileWords(words)),
  });
  const limitsStatus = () => files.status;
  const application: Application = {
    routes: {},
    adminRoutes: { "/rlconfig": configurationRoute(limits) },
    // The one question that operators have.
    answerLead: async () => configurationLines(limits.configuration),
    limiters: new LimiterSet([limits.limiter]),
    health: limitsHealth(limitsStatus),
    limitsStatus,
    reload: () => files.reload(),
    close: async () => {
      files.close();
      await close();
    },
  };
  return withEnvoyProtocol(application, limits, log);
}
