import type { Decision } from "../../core/decision.ts";
import type { Report } from "../../core/report.ts";
import type { DecidedCall } from "../watching/decided-call.ts";
import type { Request } from "./request.ts";

/** Makes decisions of reports: a limiter. */
interface DecisionMaker {
  decisionOn(request: Request, report: Report): Decision;
}

/** Makes the result of a call that was decided. `call` is there if a watcher sees the call. */
export type Read<T> = (limiter: DecisionMaker, request: Request, report: Report, call?: DecidedCall) => T;

/** What `allow` returns: no decision is made for it. */
export const readAllowed: Read<boolean> = (_limiter, _request, { admitted }) => admitted;

export const readDecision: Read<Decision> = (limiter, request, report, call) =>
  call?.decision ?? limiter.decisionOn(request, report);
