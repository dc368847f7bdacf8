export { type Dashboard, type DashboardOptions, dashboard, serveDashboard } from "./dashboard.ts";
export { DecisionTrail, mergeTrails } from "./decision-trail.ts";
export type { Door } from "./handler.ts";
export { describeLimiters } from "./limiter-source.ts";
export type { NodeRequest, NodeResponse } from "./servers.ts";
export type {
  ActAnswer,
  ActRequest,
  CallRates,
  DashboardEvent,
  FileStatus,
  KeyBar,
  KeyDecision,
  KeyDetail,
  KeyRequest,
  KeyRow,
  LimitRow,
  NamedKey,
  OverrideMode,
  Point,
  Snapshot,
  SourceAct,
  StoreRow,
  Welcome,
} from "./snapshot.ts";
export { ROUTES } from "./snapshot.ts";
export {
  type BlockedKeys,
  type CountedKeys,
  DashboardError,
  type DashboardSource,
  type ExplainedKey,
  type Looker,
  type MetricFamily,
  type SourceEvent,
  type SourceKey,
  type SourceState,
  type TrailPage,
} from "./source.ts";
