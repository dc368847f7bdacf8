export type { JointDecision } from "../limiter/deciding/joint-call.ts";
export { type CreateLimitsOptions, createLimits, type LimitsOver } from "./create-limits.ts";
export type {
  Amount,
  Amounts,
  BlockForWord,
  Choice,
  CostWord,
  DomainWords,
  InflightWord,
  LimitsFile,
  LimitWords,
  MatchWords,
  OnFailureWord,
  Patterns,
  PlansWord,
  RuleWords,
} from "./file/limits-file.ts";
export { LimitsFileError, type Mistake } from "./file/mistakes.ts";
export {
  type NoteMistake,
  type ParseOptions,
  type ParseYamlOptions,
  parseLimits,
  parseYaml,
  trustLimitsFile,
} from "./file/parse-limits.ts";
export type { DomainLimiter, KeyHandle, Limits, LimitsHandle, RequestWithCost } from "./limits.ts";
export type { CountingRule, OtherRule, RuleExplanation } from "./rules/explain-rule.ts";
export { factId } from "./rules/fact.ts";
export type { Facts, NamedValues } from "./rules/facts.ts";
export { factsReader } from "./rules/facts-reader.ts";
export type { YamlModule } from "./text/yaml-nodes.ts";
export type { ForeignYaml } from "./text/yaml-reader.ts";
