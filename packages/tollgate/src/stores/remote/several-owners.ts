import { startsEmpty } from "../../algorithms/compile-limit.ts";
import type { Plan } from "../../core/plan.ts";
import type { Report } from "../../core/report.ts";
import type { Verb } from "../../core/verbs.ts";
import { addAnswer, type CallPart } from "./call-parts.ts";

/** The calls for one owner: a slot of a cluster, or an object. */
type Part = CallPart<{ readonly space: { readonly plan: Plan }; readonly costs: readonly number[] }>;

/** How the owners of the keys of a transaction are asked. */
export interface Owners<Own extends Part> {
  ask(verb: Verb, part: Own): Promise<Report>;
  /** Gives back what a part took. Its costs are those that were taken, and `answer` is that of the take. */
  giveBack(part: Own, answer: Report): Promise<unknown>;
}

/** Applies a verb to all parts at once, and writes the entries of all into one report. Returns those that deny. */
export async function applyToEach<Own extends Part>(
  verb: Verb,
  parts: readonly Own[],
  owners: Owners<Own>,
  report: Report,
): Promise<readonly Own[]> {
  const answers = await Promise.all(parts.map((part) => owners.ask(verb, part)));
  for (const [i, part] of parts.entries()) addAnswer(answers[i]!, part, report);
  return parts.filter((_, i) => !answers[i]!.admitted);
}

/**
 * Takes from one owner after another, which no transaction covers. If one denies or fails, those before it get back
 * what they took. Returns the part that denied, if one did.
 */
export async function takeFromEach<Own extends Part>(
  parts: readonly Own[],
  owners: Owners<Own>,
  report: Report,
): Promise<readonly Own[]> {
  const answers: Report[] = [];
  // What an owner that fails now does not take back leaves by itself.
  const giveBack = () =>
    Promise.allSettled(answers.map((answer, i) => owners.giveBack(tookOf(parts[i]!, answer), answer)));
  for (const part of parts) {
    const answer = await owners.ask("take", part).catch(async (error: unknown) => {
      await giveBack();
      throw error;
    });
    addAnswer(answer, part, report);
    if (!answer.admitted) {
      await Promise.all([giveBack(), touch(parts.slice(answers.length + 1), owners)]);
      return [part];
    }
    answers.push(answer);
  }
  return [];
}

/** Takes nothing. A bucket that starts empty starts to fill with its first call, even a denied one. */
export async function touch<Own extends Part>(parts: readonly Own[], owners: Owners<Own>): Promise<void> {
  const startEmpty = parts.filter(({ calls }) => calls.some(({ space }) => startsEmpty(space.plan)));
  await Promise.allSettled(
    startEmpty.map((part) =>
      owners.ask(
        "take",
        withCosts(part, () => 0),
      ),
    ),
  );
}

/** A part with the costs that were taken: limits in shadow mode took only what conformed. */
export function tookOf<Own extends Part>(part: Own, answer: Report): Own {
  let entry = 0;
  return withCosts(part, (cost) => {
    entry += 1;
    return answer.conforms[entry - 1]! ? cost : 0;
  });
}

/** A part with other costs. */
export function withCosts<Own extends Part>(
  part: Own,
  costOf: (cost: number, call: Own["calls"][number], limit: number) => number,
): Own {
  const calls = part.calls.map((call) => ({ ...call, costs: call.costs.map((cost, i) => costOf(cost, call, i)) }));
  return { ...part, calls };
}
