import type { Clock } from "tollgate";
import type { OperatorRoutes } from "../http/operator.ts";
import type { LimitsInForce } from "../limits/limits-in-force.ts";
import type { Log } from "../log/log.ts";
import { configurationRoute } from "./configuration-route.ts";
import type { RecentSource } from "./dry-run.ts";
import { type BlockedOf, type HotOf, keyRoutes, type OperateKey } from "./key-routes.ts";
import { limitsRoutes } from "./limits-routes.ts";
import { ruleRoutes } from "./rule-routes.ts";
import type { Reached } from "./workers-reached.ts";

export interface OperationSettings {
  readonly inForce: LimitsInForce;
  /** `undefined` without operators. */
  readonly recent: RecentSource | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** A domain that limits have to have, because `/check` asks it. */
  readonly checkDomain: string | undefined;
  readonly operateKey: OperateKey;
  readonly hotOf: HotOf;
  readonly blockedOf: BlockedOf;
  readonly reached: Reached;
}

/** The routes of the admin listener for limits of limits files. */
export function operationRoutes(settings: OperationSettings): OperatorRoutes {
  return {
    "/rlconfig": configurationRoute(settings.inForce),
    ...limitsRoutes(settings),
    ...keyRoutes(settings),
    ...ruleRoutes(settings),
  };
}
