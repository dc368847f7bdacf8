import { RoutedHandle } from "../limiter/routed-handle.ts";
import type { LimitsHandle } from "./limits.ts";
import type { RuleSet } from "./rules/domain-rules.ts";
import type { Request } from "./rules/request.ts";

/** A request with its rules, in the version of the file in which they were found. */
export class RequestHandle<Kind extends "sync" | "async">
  extends RoutedHandle<Kind, Request>
  implements LimitsHandle<Kind>
{
  /** The rules that count the request. */
  readonly rules: readonly string[];

  constructor(set: RuleSet<Kind>, request: Request) {
    super(set, request);
    this.rules = set.rules.map(({ name }) => name);
  }
}
