export { type Dashboard, type DashboardOptions, dashboard, serveDashboard } from "./dashboard.ts";
export { DecisionTrail, mergeTrails } from "./decision-trail.ts";
export type { Door } from "./handler.ts";
export { describeStores } from "./limiter-source.ts";
export type { NodeRequest, NodeResponse } from "./servers.ts";
export type {
  ActAnswer,
  ActRequest,
  DashboardEvent,
  FileStatus,
  KeyBar,
  KeyDecision,
  KeyDetail,
  KeyLists,
  KeyRequest,
  KeyRow,
  LimitMode,
  LimitRow,
  NamedKey,
  OverrideMode,
  Point,
  Refusal,
  SessionRequest,
  Snapshot,
  StoreRow,
  Welcome,
} from "./snapshot.ts";
export { ROUTES } from "./snapshot.ts";
export {
  type BlockedSourceKey,
  type CountedKey,
  DashboardError,
  type DashboardSource,
  type DeniedKey,
  type DescribedLimit,
  type ExplainedKey,
  type Looker,
  type MetricFamily,
  type MetricValue,
  type SourceAct,
  type SourceEvent,
  type SourceKey,
  type SourceState,
  type TrailPage,
} from "./source.ts";
