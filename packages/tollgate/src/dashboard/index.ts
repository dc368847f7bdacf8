export { type Dashboard, type DashboardOptions, dashboard, serveDashboard } from "./dashboard.ts";
export type { Door } from "./handler.ts";
export { KeyActivity, mergeHot, mergeTrails } from "./key-activity.ts";
export { describeLimiters } from "./limiter-source.ts";
export type { NodeRequest, NodeResponse } from "./node-server.ts";
export { type OperatedKey, operateKey } from "./operate-key.ts";
export type {
  ActAnswer,
  ActRequest,
  CallRates,
  DashboardEvent,
  FileStatus,
  KeyDecision,
  KeyDetail,
  KeyFacts,
  KeyRequest,
  KeyRow,
  KeyStatus,
  LimitRow,
  NamedKey,
  OverrideMode,
  Point,
  ShownKey,
  Snapshot,
  SourceAct,
  SourceKey,
  StoreRow,
} from "./snapshot.ts";
export { ROUTES } from "./snapshot.ts";
export {
  type BlockedRow,
  DashboardError,
  type DashboardSource,
  type HotRow,
  type HotRows,
  type KeyAction,
  type KeyResult,
  type Looker,
  type MetricFamily,
  type SourceEvent,
  type SourceState,
  type Trail,
} from "./source.ts";
