import { createLimits, type Limits, type LimitsFile } from "tollgate/config";
import { KeyActivity, mergeHot, mergeTrails } from "tollgate/dashboard";
import type { Application } from "../application.ts";
import { checkRoutes, checkTrust } from "../check/check-routes.ts";
import type { Routes } from "../http/route-table.ts";
import { LimiterSet } from "../limiter-set.ts";
import { logDegraded } from "../limits/degraded-log.ts";
import type { FollowedLimits } from "../limits/followed-limits.ts";
import type { LimitsContext } from "../limits/limits-context.ts";
import { inForceHealth } from "../limits/limits-health.ts";
import type { LimitsSettings } from "../limits/limits-settings.ts";
import { summaryOf } from "../limits/limits-state.ts";
import { RECENT_BOUNDS, RecentRequests } from "../limits/recent-requests.ts";
import { openStore } from "../limits/store.ts";
import { clientName } from "../log/client-name.ts";
import { answerLead, type LeadQuestion, operateKeyOf } from "../operations/answer-lead.ts";
import { blockedIn } from "../operations/key-routes.ts";
import { openLimitsFiles, operateLimits } from "../operations/operated-limits.ts";
import { decideHere } from "./decide.ts";
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
  const { clock, log, followed } = context;
  const leading = followed === undefined ? await leadingByFiles(settings, context) : leadingByPrimary(followed);
  const { store, close } = await openStore(settings, context);
  const limits: Limits | Limits<"async"> = createLimits(leading.first, { store, clock, lostCorrections: "throw" });
  const recent = recentOf(context);
  const limiters = new LimiterSet();
  const activity = recent === undefined ? undefined : new KeyActivity(clock);
  const endActivity = activity === undefined ? () => {} : limiters.watch(activity.add);
  const { stop, ...led } = leading.begin({ limits, recent, activity }, (file) => {
    recent?.keepFactsOf(file);
    // Another version may have other domains.
    limiters.replace(limits.domains.map((domain) => limits.limiter(domain)));
  });
  const keeper = store.kind === "async" ? store.keeper : undefined;
  const openKept = keeper && ((id: string) => keeper.open(id));
  // A client may settle on another connection, which another process may have accepted: it finds what Redis keeps.
  const peers = openKept === undefined ? context.peers : undefined;
  const decidedBy = { limits, reservations: new OpenReservations(clock, peers), openKept };
  peers?.onQuestion((question) => decideHere(decidedBy, question as DecideRequest));
  const endLog = logDegraded(limiters, log);
  const end = async (): Promise<void> => {
    stop();
    endLog();
    endActivity();
    await limits.close();
    await close();
  };
  let checks: Routes;
  try {
    checks = checksOf(limits, leading.checkDomain, recent, context);
  } catch (error) {
    await end();
    throw error;
  }
  return {
    routes: { "/v1/decide": decideRoute(decidedBy, recent), ...checks },
    limits,
    recent,
    limiters,
    ...led,
    answerLead: (question) => answerLead(limits, recent, activity, question as LeadQuestion),
    close: end,
  };
}

/** What this process counts. */
interface OwnLimits {
  readonly limits: Limits | Limits<"async">;
  /** Both are set if there are operators. */
  readonly recent: RecentRequests | undefined;
  readonly activity: KeyActivity | undefined;
}

/** What decides which limits are in force: files and operators of this process, or the primary process. */
interface Leading {
  readonly checkDomain: string | undefined;
  readonly first: LimitsFile;
  /** `limits` have what `first` is. `onInstall` is notified of limits that are in force. */
  begin(own: OwnLimits, onInstall: (effective: LimitsFile) => void): Led;
}

interface Led
  extends Pick<Application, "adminRoutes" | "health" | "limitsStatus" | "inForce" | "operations" | "reload"> {
  readonly stop: () => void;
}

async function leadingByFiles(settings: LimitsSettings, { clock, log }: LimitsContext): Promise<Leading> {
  const opened = await openLimitsFiles(settings.path, settings.checkDomain, log);
  const { files, checkDomain } = opened;
  const limitsStatus = () => files.status;
  return {
    checkDomain,
    first: files.first,
    begin: ({ limits, recent, activity }, onInstall) => {
      const { inForce, routes, operations, close } = operateLimits(opened, {
        limits,
        clock,
        log,
        recent,
        operateKey: (call) => operateKeyOf(limits, call),
        hotOf: async (domain) => activity?.hot(domain) ?? mergeHot([]),
        blockedOf: blockedIn(limits),
        reached: async () => undefined,
        trailOf: async (key) => activity?.trail(key) ?? mergeTrails([]),
        onInstall,
      });
      return {
        adminRoutes: routes,
        health: inForceHealth(() => summaryOf(inForce, files.status)),
        limitsStatus,
        inForce,
        operations,
        reload: () => files.reload(),
        stop: close,
      };
    },
  };
}

function leadingByPrimary(followed: FollowedLimits): Leading {
  return {
    checkDomain: followed.state.checkDomain,
    first: followed.effective,
    begin: ({ limits }, onInstall) => {
      followed.begin(limits, onInstall);
      return { adminRoutes: {}, health: inForceHealth(() => followed.state), stop: () => {} };
    },
  };
}

/** Only operators ask for it. */
function recentOf({ clock, followed, hasOperators }: LimitsContext): RecentRequests | undefined {
  if (followed === undefined) return hasOperators ? new RecentRequests(clock) : undefined;
  const { salt } = followed.state;
  return salt === undefined ? undefined : new RecentRequests(clock, RECENT_BOUNDS, salt);
}

/** The routes for proxies, which ask about requests to one domain. */
function checksOf(
  limits: Limits | Limits<"async">,
  domain: string | undefined,
  recent: RecentRequests | undefined,
  { trustProxy, requestLog }: LimitsContext,
): Routes {
  if (domain === undefined) return {};
  return checkRoutes({
    limiter: limits.limiter(domain),
    trustProxy: checkTrust(trustProxy),
    logError: (error, request) => requestLog.failed(error, request),
    noteDenial: (request, denial, facts) =>
      requestLog.denied(request, denial, () => clientName(`1:${facts().remoteAddress ?? "unknown"}`), facts),
    ...(recent !== undefined && { noteFacts: (facts) => recent.note(domain, facts, undefined, "consume") }),
  });
}
