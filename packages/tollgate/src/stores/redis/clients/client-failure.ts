import { TollgateError } from "../../../core/errors.ts";
import { serverError } from "./server-error.ts";

/**
 * The class of a client's error, and its cause in a few words (no addresses, no secrets):
 *
 * - `"unavailable"`: the server is temporarily unavailable.
 * - `"rejected"`: the server temporarily rejects this command, but serves others.
 * - `"fault"`: the failure is permanent. The caller gets the error.
 */
export type ClientFailure =
  | { readonly kind: "unavailable" | "rejected"; readonly cause: string }
  | { readonly kind: "fault" };

export const FAULT: ClientFailure = Object.freeze({ kind: "fault" });

/** Error codes of servers, or of parts of a cluster, that are temporarily unavailable. */
const TEMPORARY: ReadonlyMap<string, string> = new Map([
  ["ASK", "the slot is moving"],
  ["BUSY", "the server is busy with a script"],
  ["CLUSTERDOWN", "the cluster is down"],
  ["LOADING", "the server is loading its data"],
  ["MASTERDOWN", "the replica has lost its primary"],
  ["MOVED", "the slot has moved"],
  ["REDIRECT", "the server is a replica"],
  ["TRYAGAIN", "the slot is moving"],
  ["UNBLOCKED", "the server became a replica"],
  ["UNKILLABLE", "the server is busy with a script"],
]);

/** Error codes of commands that servers reject while they serve others. */
const REJECTED: ReadonlyMap<string, string> = new Map([
  ["MISCONF", "the server cannot save its data"],
  ["NOPERM", "the server does not permit the command"],
  ["NOREPLICAS", "the primary has too few replicas"],
  ["OOM", "the server is out of memory"],
  ["READONLY", "the server is a replica"],
]);

/** Before Redis 7.2 missing permissions of a script have no code of their own. */
const NOT_PERMITTED = /can't (?:run this command|access at least one of the keys)/;
/** "max number of clients reached", and the quotas of hosting providers. */
const QUOTA_REACHED = /^max /;

/** The causes of errors that clients throw themselves, by their text. The first match wins. */
const CAUSES: readonly (readonly [words: RegExp, cause: string])[] = [
  [/ECONNREFUSED|connection refused/i, "connection refused"],
  [/ENOTFOUND|EAI_AGAIN|getaddrinfo/i, "host not found"],
  [/EHOSTUNREACH|ENETUNREACH|ENETDOWN|EHOSTDOWN/i, "host unreachable"],
  [/redirections/i, "too many redirections"],
  [/circuit ?breaker/i, "the client's circuit breaker is open"],
  [/sentinel/i, "no sentinel answers"],
  [/timed? ?out|TimeoutError/i, "timed out"],
  [/queue is full|maximum inflight/i, "the client has too much under way"],
  [
    /client is closed|connection is closed|cluster is ended|after calling end|connection_ended|not queryable/i,
    "the client is closed",
  ],
  [/startup nodes|root nodes|slots cache|cluster isn't ready|no connection/i, "no node answers"],
  [/offline|isn't writeable/i, "not connected"],
  [
    /ECONNRESET|EPIPE|connection[ _](?:error|reset|close|lost|terminated|destroyed)|disconnect|socket closed|aborted|max retries/i,
    "connection lost",
  ],
  [/fetch|ConnectionError/i, "connection failed"],
];

/** Clients in another mode, or with a wrong key. These failures are permanent. */
const MISUSE = /subscriber mode|monitoring mode|unauthori[sz]ed|forbidden/i;
/** Errors of bugs, in this library or in a client. */
const BUGS = new Set(["TypeError", "RangeError", "ReferenceError", "SyntaxError", "EvalError"]);
const DEEPEST = 3;

/** Whether the server does not know the script's SHA-1, and so has done nothing. */
export function isUnknownScript(error: unknown): boolean {
  return serverError(error)?.code === "NOSCRIPT";
}

/** Classifies an error of a Redis client or a `RedisPort`. */
export function clientFailure(error: unknown): ClientFailure {
  if (error instanceof TollgateError) return FAULT;
  const answer = serverError(error);
  if (answer === undefined) return failureOfClient(error);
  if (answer.code === "ERR" && QUOTA_REACHED.test(answer.text))
    return { kind: "unavailable", cause: "the server refuses more" };
  const rejected = REJECTED.get(NOT_PERMITTED.test(answer.text) ? "NOPERM" : answer.code);
  if (rejected !== undefined) return { kind: "rejected", cause: rejected };
  const cause = TEMPORARY.get(answer.code);
  return cause === undefined ? FAULT : { kind: "unavailable", cause };
}

/** Classifies an error of a client that is no reply of its server. */
export function failureOfClient(error: unknown): ClientFailure {
  const words = wordsOf(error, DEEPEST);
  if (MISUSE.test(words)) return FAULT;
  const known = CAUSES.find(([pattern]) => pattern.test(words));
  if (known !== undefined) return { kind: "unavailable", cause: known[1] };
  return error instanceof Error && !BUGS.has(error.name) ? { kind: "unavailable", cause: "the client failed" } : FAULT;
}

/** Name, code and message of an error and of its causes: some clients name the reason only in a cause. */
function wordsOf(error: unknown, depth: number): string {
  if (!(error instanceof Error)) return "";
  const { name, message, cause } = error;
  const own = `${name} ${"code" in error ? String(error.code) : ""} ${message}`;
  return depth > 1 && cause !== undefined ? `${own} ${wordsOf(cause, depth - 1)}` : own;
}
