import { TollgateError } from "../../../core/errors.ts";
import { serverError } from "./server-error.ts";

/**
 * What an error of a client means, with the cause in a few words (no addresses, no secrets):
 *
 * - `"outage"`: the server cannot be asked at the moment.
 * - `"refused"`: the server may not carry out this command at the moment. It is there for others.
 * - `"fault"`: something is wrong that does not pass by itself. The caller gets the error.
 */
export type ClientFailure =
  | { readonly kind: "outage" | "refused"; readonly cause: string }
  | { readonly kind: "fault" };

const FAULT: ClientFailure = Object.freeze({ kind: "fault" });

/** What servers answer while they, or the part of the cluster that is asked, can do nothing. */
const PASSING: ReadonlyMap<string, string> = new Map([
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

/** What servers answer to a command that they may not carry out, while they carry out others. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ["MISCONF", "the server cannot save its data"],
  ["NOPERM", "the server does not permit the command"],
  ["NOREPLICAS", "the primary has too few replicas"],
  ["OOM", "the server is out of memory"],
  ["READONLY", "the server is a replica"],
]);

/** "max number of clients reached", and what hosts count. */
const A_MOST = /^max /;

/** Told by the words of what clients throw of themselves; the first that fits. */
const CAUSES: readonly (readonly [words: RegExp, cause: string])[] = [
  [/ECONNREFUSED|connection refused/i, "connection refused"],
  [/ENOTFOUND|EAI_AGAIN|getaddrinfo/i, "host not found"],
  [/EHOSTUNREACH|ENETUNREACH|ENETDOWN|EHOSTDOWN/i, "host unreachable"],
  [/redirections/i, "too many redirections"],
  [/circuit ?breaker/i, "the client's circuit breaker is open"],
  [/sentinel/i, "no sentinel answers"],
  [/timed? ?out|TimeoutError/i, "timed out"],
  [/queue is full|maximum inflight/i, "the client has too much under way"],
  [/client is closed|connection is closed|cluster is ended/i, "the client is closed"],
  [/startup nodes|root nodes|slots cache|cluster isn't ready|no connection/i, "no node answers"],
  [/offline|isn't writeable/i, "not connected"],
  [
    /ECONNRESET|EPIPE|connection (?:error|reset|close|lost)|disconnect|socket closed|aborted|max retries/i,
    "connection lost",
  ],
  [/fetch|ConnectionError/i, "connection failed"],
];

/** Clients that are used for something else, or were given a wrong key: that does not pass. */
const MISUSE = /subscriber mode|monitoring mode|unauthori[sz]ed|forbidden/i;
/** Bugs, in this library or in a client. */
const BUGS = new Set(["TypeError", "RangeError", "ReferenceError", "SyntaxError", "EvalError"]);
const DEEPEST = 3;

/** Whether the server does not know the script by its SHA-1, and so has done nothing. */
export function isUnknownScript(error: unknown): boolean {
  return serverError(error)?.code === "NOSCRIPT";
}

/** Says what an error means that a client of Redis, or a `RedisPort`, threw. */
export function clientFailure(error: unknown): ClientFailure {
  if (error instanceof TollgateError) return FAULT;
  const answer = serverError(error);
  if (answer === undefined) return failureOfClient(error);
  if (answer.code === "ERR" && A_MOST.test(answer.text)) return { kind: "outage", cause: "the server refuses more" };
  const refused = REFUSED.get(answer.code);
  if (refused !== undefined) return { kind: "refused", cause: refused };
  const cause = PASSING.get(answer.code);
  return cause === undefined ? FAULT : { kind: "outage", cause };
}

/** In a few words, why a server did not carry out a command: its error's code says so. */
export function refusalCause(code: string): string {
  return REFUSED.get(code) ?? "the server refused to write";
}

function failureOfClient(error: unknown): ClientFailure {
  const words = wordsOf(error, DEEPEST);
  if (MISUSE.test(words)) return FAULT;
  const known = CAUSES.find(([pattern]) => pattern.test(words));
  if (known !== undefined) return { kind: "outage", cause: known[1] };
  return error instanceof Error && !BUGS.has(error.name) ? { kind: "outage", cause: "the client failed" } : FAULT;
}

/** Name, code and message of an error and of what caused it: some clients say only there what happened. */
function wordsOf(error: unknown, depth: number): string {
  if (!(error instanceof Error)) return "";
  const { name, message, cause } = error;
  const own = `${name} ${"code" in error ? String(error.code) : ""} ${message}`;
  return depth > 1 && cause !== undefined ? `${own} ${wordsOf(cause, depth - 1)}` : own;
}
