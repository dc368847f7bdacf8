import { type AsyncReservation, type Decision, type KeptReservation, type Reservation, TollgateError } from "tollgate";
import type { Limits } from "tollgate/config";
import { requestErrorOf } from "../http/request-error.ts";
import { checkUnits } from "./check-units.ts";
import type { DecideRequest } from "./decide-request.ts";
import { type DecisionJson, decisionJson } from "./decision-json.ts";
import { keptBy, keptId, type OpenKept } from "./kept-reservation.ts";
import type { OpenReservation, OpenReservations } from "./open-reservations.ts";

/** What calls are decided by. */
export interface DecidedBy {
  readonly limits: Limits | Limits<"async">;
  /** Those of this process. */
  readonly reservations: OpenReservations;
  /** Set if the store keeps reservations, so that any process settles them. */
  readonly openKept: OpenKept | undefined;
}

/** What a call came to. */
export interface DecideResult {
  readonly status: number;
  readonly decision?: Decision;
  readonly body: ResultBody;
}

/** The parts that a verb has, or an error. */
export type ResultBody = Partial<DecisionJson> & {
  readonly reservation?: string;
  readonly wasBlocked?: boolean;
  readonly error?: string;
  readonly code?: string;
};

/** Carries out one call, in the process that has its reservation. */
export async function decide(by: DecidedBy, request: DecideRequest): Promise<DecideResult> {
  const owner = "reservation" in request ? by.reservations.ownerOf(request.reservation) : undefined;
  if (owner === undefined) return decideHere(by, request);
  return ((await owner.ask(request)) as DecideResult | undefined) ?? OWNER_IS_AWAY;
}

/**
 * Carries out one call in this process. Questions of other processes come here: asking on would go round for an id that
 * no process has given. Misuse that the library finds is a result, not an error: nothing was counted.
 */
export async function decideHere(by: DecidedBy, request: DecideRequest): Promise<DecideResult> {
  try {
    return await decideOrThrow(by, request);
  } catch (error) {
    const known = requestErrorOf(error);
    if (known === undefined) throw error;
    const { status, message, details } = known;
    return { status, body: { error: message, ...details } };
  }
}

async function decideOrThrow(by: DecidedBy, request: DecideRequest): Promise<DecideResult> {
  const { limits, reservations, openKept } = by;
  if ("domain" in request && "cost" in request) checkUnits(request.cost, limits.units(request.domain));
  switch (request.verb) {
    case "consume":
    case "peek":
      return decided(await limits[request.verb](request.domain, request.facts, request.cost));
    case "charge":
      return decided(await limits.charge(request.domain, request.facts, request.cost));
    case "refund":
      await limits.refund(request.domain, request.facts, request.cost);
      return done();
    case "reserve": {
      if (!reservations.hasCapacity) return { status: 503, body: { error: "too many open reservations" } };
      const reserved: Reservation | AsyncReservation = await limits.reserve(
        request.domain,
        request.facts,
        request.cost,
      );
      const { decision } = reserved;
      if (!decision.allowed) return decided(decision);
      const id = openKept === undefined ? undefined : await keptId(reserved, request.domain);
      return decided(decision, { reservation: id ?? reservations.add(reserved, limits.units(request.domain)) });
    }
    case "settle":
      return finish(by, request.reservation, ({ reservation, units }) => {
        checkUnits(request.cost, units);
        return reservation.settle(request.cost);
      });
    case "cancel":
      return finish(by, request.reservation, ({ reservation }) => reservation.cancel());
    case "block": {
      const { reason } = request;
      await limits.block(request.domain, request.facts, request.span, reason === undefined ? {} : { reason });
      return done();
    }
    case "unblock":
      return done({ wasBlocked: await limits.unblock(request.domain, request.facts) });
    case "reset":
      await limits.reset(request.domain, request.facts);
      return done();
    default:
      return request satisfies never;
  }
}

/** What `settle` and `cancel` end, in this process or in the store. */
interface EndedReservation {
  readonly reservation: OpenReservation["reservation"] | KeptReservation;
  readonly units: ReadonlySet<string>;
}

async function finish(
  { limits, reservations, openKept }: DecidedBy,
  id: string,
  end: (open: EndedReservation) => unknown,
): Promise<DecideResult> {
  const kept = openKept && keptBy(openKept, limits.domains, id);
  if (kept !== undefined)
    return (await end({ ...kept, units: limits.units(kept.domain) })) === true ? done() : NO_RESERVATION;
  const reserved = reservations.take(id);
  if (reserved === undefined) return NO_RESERVATION;
  try {
    await end(reserved);
  } catch (error) {
    // Nothing was done: the client may call again, or with another cost.
    if (!(error instanceof TollgateError && error.mayHaveRun === true)) reservations.putBack(id, reserved);
    throw error;
  }
  return done();
}

const NO_RESERVATION: DecideResult = {
  status: 404,
  body: { error: "no such reservation: it was settled or cancelled before, or has expired" },
};

const OWNER_IS_AWAY: DecideResult = {
  status: 503,
  body: {
    error: "the process that has the reservation does not answer; it may have carried out the call",
    code: "ERR_STORE",
  },
};

function decided(decision: Decision, more: ResultBody = {}): DecideResult {
  return { status: 200, decision, body: { ...decisionJson(decision), ...more } };
}

function done(body: ResultBody = {}): DecideResult {
  return { status: 200, body };
}
