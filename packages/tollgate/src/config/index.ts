export type { JointDecision } from "../limiter/deciding/joint-call.ts";
export { createLimits, type LimitsOptions, type LimitsOver } from "./create-limits.ts";
export type {
  Amount,
  Amounts,
  BlockForWord,
  Choice,
  DomainWords,
  InflightWord,
  LimitsFile,
  LimitWords,
  MatchWords,
  OnFailureWord,
  Patterns,
  PlansWord,
  RuleWords,
  UnitCost,
} from "./file/limits-file.ts";
export { describeMistake, LimitsFileError, type Mistake } from "./file/mistakes.ts";
export {
  checkLimitsFile,
  type ParseOptions,
  parseLimits,
  type ReadLimits,
  readLimits,
  trustLimitsFile,
} from "./file/parse-limits.ts";
export type { DomainLimiter, KeyHandle, Limits, LimitsHandle, RequestWithCost } from "./limits.ts";
export type { CountingRule, OtherRule, RuleExplanation } from "./rules/explain-rule.ts";
export type { Facts, NamedValues } from "./rules/facts.ts";
export { factsReader } from "./rules/facts-reader.ts";
export type { YamlModule } from "./text/yaml-nodes.ts";
export { deepYamlLevel } from "./text/yaml-reader.ts";
