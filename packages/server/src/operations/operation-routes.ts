import type { OperatorRoutes } from "../http/operator.ts";
import { configurationRoute } from "./configuration-route.ts";
import { keyRoutes } from "./key-routes.ts";
import { limitsRoutes } from "./limits-routes.ts";
import type { OperationSettings } from "./operation-settings.ts";
import { ruleRoutes } from "./rule-routes.ts";

/** The routes of the admin listener for limits of limits files. */
export function operationRoutes(settings: OperationSettings): OperatorRoutes {
  return {
    "/rlconfig": configurationRoute(settings.inForce),
    ...limitsRoutes(settings),
    ...keyRoutes(settings),
    ...ruleRoutes(settings),
  };
}
