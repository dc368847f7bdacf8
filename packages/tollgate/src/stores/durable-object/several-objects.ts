import { Report } from "../../core/report.ts";
import type { Call } from "../../core/store.ts";
import type { Taken } from "../../core/taken.ts";
import { VERBS } from "../../core/verbs.ts";
import type { OwnedSpace } from "../owned/owned-space.ts";
import type { SpaceVerb } from "../owned/questions.ts";
import type { CallPart } from "../remote/call-parts.ts";
import { applyToEach, type Owners, takeFromEach } from "../remote/several-owners.ts";

/** The calls whose keys are in one object, by its name. */
export type ObjectPart = CallPart<Call<OwnedSpace>, string>;

/** Applies a verb to the calls of one object. */
export type AskObject = (name: string, call: SpaceVerb) => Promise<Report>;

/**
 * Applies a verb to keys in one object, or in several, which no transaction covers. A take takes from one object after
 * another. If one denies, the objects before it get back exactly what was taken: no limit is ever exceeded, but
 * concurrent calls may be denied units that are given back a moment later.
 *
 * @throws UnavailableError when an object is unavailable, after the others got back what was taken.
 */
export async function applyToObjects(
  call: SpaceVerb,
  parts: readonly ObjectPart[],
  askObject: AskObject,
): Promise<Report> {
  const { verb, taken } = call;
  if (parts.length === 1) return askObject(parts[0]!.owner, call);
  const objects: Owners<ObjectPart> = {
    ask: (one, { owner, calls, indexes }) =>
      askObject(owner, { ...call, verb: one, calls, taken: taken && indexes.map((index) => taken[index]!) }),
    giveBack: ({ owner, calls }, answer) =>
      askObject(owner, { ...call, verb: "refund", calls, taken: receiptsOf(calls, answer) }),
  };
  const { takes, changes } = VERBS[verb];
  const decides = takes === "if all conform";
  const report = new Report();
  const isTake = decides && changes;
  const denying = await (isTake ? takeFromEach(parts, objects, report) : applyToEach(verb, parts, objects, report));
  report.admitted = denying.length === 0;
  // The others reported as if they had decided alone.
  const others = parts.filter((part) => !denying.includes(part));
  if (decides && !report.admitted) await applyToEach("explain", others, objects, report);
  return report;
}

/** What each call took. */
function receiptsOf(calls: ObjectPart["calls"], { resets, resetsOf, untilUs }: Report): readonly Taken[] {
  let at = 0;
  return calls.map(({ costs }, i) => {
    const from = at;
    at += costs.length;
    const own = resetsOf[i] ?? resets ?? Number.POSITIVE_INFINITY;
    return { where: "own", degraded: undefined, resets: own, untilUs: untilUs.slice(from, at) };
  });
}
