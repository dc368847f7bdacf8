import type { Limits } from "tollgate/config";
import {
  type HotRows,
  type KeyActivity,
  type KeyResult,
  operateKey,
  type SourceKey,
  type Trail,
} from "tollgate/dashboard";
import { requestErrorOf } from "../http/request-error.ts";
import type { RecentPage, RecentRequests } from "../limits/recent-requests.ts";
import type { KeyCall } from "./operation-settings.ts";

/** What the primary process asks a worker for its operators. */
export type LeadQuestion =
  | { readonly what: "key"; readonly call: KeyCall }
  /** The keys of a domain, or of all, that are called most. */
  | { readonly what: "hot"; readonly domain: string | undefined }
  /** What was decided since the last question, or the latest decisions of a key. */
  | { readonly what: "trail"; readonly key: SourceKey | undefined }
  /** The latest requests, or those before the one with a number. */
  | { readonly what: "requests"; readonly before: number | undefined }
  /** The lines of Envoy's files. */
  | { readonly what: "configuration" };

export type KeyAnswer =
  | { readonly result: KeyResult }
  | { readonly status: number; readonly message: string; readonly details: Readonly<Record<string, unknown>> };

export type LeadAnswer = KeyAnswer | HotRows | RecentPage | Trail | undefined;

/** Answers the primary process by the limits of this worker. */
export async function answerLead(
  limits: Limits | Limits<"async">,
  recent: RecentRequests | undefined,
  activity: KeyActivity | undefined,
  question: LeadQuestion,
): Promise<LeadAnswer> {
  if (question.what === "hot") return activity?.hot(question.domain);
  if (question.what === "trail") return activity?.trail(question.key);
  if (question.what === "requests") return recent?.page(question.before);
  if (question.what === "configuration") return undefined;
  try {
    return { result: await operateKeyOf(limits, question.call) };
  } catch (error) {
    const known = requestErrorOf(error);
    if (known === undefined) throw error;
    const { status, message, details } = known;
    return { status, message, details };
  }
}

/** Carries out a call by limits of this process. Throws and rejects as their verbs do. */
export async function operateKeyOf(
  limits: Limits | Limits<"async">,
  { domain, rule, key, action }: KeyCall,
): Promise<KeyResult> {
  return operateKey(limits.byKey(domain, rule, key), action);
}
