import { type HotRows, type KeyResult, mergeHot, mergeTrails, type Trail } from "tollgate/dashboard";
import { RequestError } from "../http/request-error.ts";
import type { KeyAnswer, LeadQuestion } from "../operations/answer-lead.ts";
import type { HotOf, KeyCall, KeyOutcome, OperateKey, OperationSettings } from "../operations/operation-settings.ts";
import type { WorkerSlot } from "./worker-slot.ts";

/** How long a worker may take, which may have to ask Redis. */
const PATIENCE_MS = 2_000;

/**
 * Carries out the calls of operators in all workers. Counts and blocks are in Redis, but each worker remembers denials,
 * and may have leases.
 */
export function operateKeyIn(slots: readonly WorkerSlot[]): OperateKey {
  return (call) => {
    const ready = slots.filter(({ isReady }) => isReady);
    return call.action.verb === "explain" ? explainIn(ready, call) : changeIn(ready, call);
  };
}

/** Lists what all workers have counted, without those that do not answer. */
export function hotOfWorkers(slots: readonly WorkerSlot[]): HotOf {
  return async (domain) => mergeHot(await answersOf<HotRows>(slots, { what: "hot", domain }));
}

/** What all workers have decided, without those that do not answer. */
export function trailOfWorkers(slots: readonly WorkerSlot[]): OperationSettings["trailOf"] {
  return async (key) => mergeTrails(await answersOf<Trail>(slots, { what: "trail", key }));
}

async function answersOf<Content>(slots: readonly WorkerSlot[], question: LeadQuestion): Promise<Content[]> {
  const ready = slots.filter(({ isReady }) => isReady);
  const answers = await Promise.all(ready.map((slot) => slot.ask(question, PATIENCE_MS)));
  const contents = answers.map((answer) => (answer.kind === "answer" ? (answer.content as Content) : undefined));
  return contents.filter((content) => content !== undefined);
}

/** All know the same: the first that has answered tells. */
async function explainIn(slots: readonly WorkerSlot[], call: KeyCall): Promise<KeyOutcome> {
  const answers = await Promise.all(slots.map((slot) => ask(slot, call)));
  const done = answers.find((answer) => answer.kind === "done");
  if (done === undefined) throw errorOf(answers);
  return done.result;
}

/** One worker alone comes first: if it refuses the call, nothing has changed. */
async function changeIn(slots: readonly WorkerSlot[], call: KeyCall): Promise<KeyOutcome> {
  const [first, ...others] = slots;
  const firstAnswer: Asked = first === undefined ? { kind: "gone" } : await ask(first, call);
  if (firstAnswer.kind === "refused") throw firstAnswer.error;
  const next = firstAnswer.kind === "done" ? untilSameTime(call, firstAnswer.result) : call;
  const answers = [firstAnswer, ...(await Promise.all(others.map((slot) => ask(slot, next))))];
  const done = answers.flatMap((answer) => (answer.kind === "done" ? [answer.result] : []));
  const [result] = done;
  if (result === undefined) throw errorOf(answers);
  const numbersOf = (kinds: readonly Asked["kind"][]): number[] =>
    slots.flatMap(({ number }, i) => (kinds.includes(answers[i]?.kind ?? "gone") ? [number] : []));
  return {
    ...result,
    wasBlocked: done.some(({ wasBlocked }) => wasBlocked === true),
    workers: { changed: numbersOf(["done"]), silent: numbersOf(["late", "refused"]) },
  };
}

/** A block for some time ends at one moment in all workers. */
function untilSameTime(call: KeyCall, { blockedUntilMs: until = null }: KeyResult): KeyCall {
  const { action } = call;
  if (action.verb !== "block" || until === null) return call;
  return { ...call, action: { ...action, span: { until } } };
}

type Asked =
  | { readonly kind: "done"; readonly result: KeyResult }
  | { readonly kind: "refused"; readonly error: RequestError }
  | { readonly kind: "late" }
  | { readonly kind: "gone" };

async function ask(slot: WorkerSlot, call: KeyCall): Promise<Asked> {
  const answered = await slot.ask({ what: "key", call }, PATIENCE_MS);
  if (answered.kind !== "answer") return answered;
  const answer = answered.content as KeyAnswer | undefined;
  // The worker could not carry it out, and has said so in the log.
  if (answer === undefined) return { kind: "late" };
  if ("result" in answer) return { kind: "done", result: answer.result };
  const { status, message, details } = answer;
  return { kind: "refused", error: new RequestError(status, message, details) };
}

function errorOf(answers: readonly Asked[]): RequestError {
  const refused = answers.find((answer) => answer.kind === "refused");
  return refused?.error ?? new RequestError(503, "no worker answered", {}, { "retry-after": "1" });
}
