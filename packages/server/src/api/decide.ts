import { type AsyncReservation, type Decision, type Reservation, TollgateError } from "tollgate";
import type { Limits } from "tollgate/config";
import type { DecideRequest } from "./decide-request.ts";
import { type DecisionJson, decisionJson } from "./decision-json.ts";
import type { OpenReservations } from "./open-reservations.ts";

type AnyLimits = Limits | Limits<"async">;

/** What a call came to. */
export type DecideResult =
  | { readonly status: 200; readonly decision: Decision | undefined; readonly body: ResultBody }
  | { readonly status: 400 | 404 | 503; readonly decision?: never; readonly body: ErrorBody };

/** The parts that a verb has. */
export type ResultBody = Partial<DecisionJson> & { readonly reservation?: string; readonly wasBlocked?: boolean };

export interface ErrorBody {
  readonly error: string;
  readonly code?: string;
}

/**
 * Carries out one call, in the process that has its reservation. Misuse that the library finds is a result, not an
 * error: nothing was counted.
 */
export async function decide(
  limits: AnyLimits,
  reservations: OpenReservations,
  request: DecideRequest,
): Promise<DecideResult> {
  const owner = "reservation" in request ? reservations.ownerOf(request.reservation) : undefined;
  if (owner !== undefined) return ((await owner.ask(request)) as DecideResult | undefined) ?? OWNER_IS_AWAY;
  try {
    return await decideOrThrow(limits, reservations, request);
  } catch (error) {
    if (!(error instanceof TollgateError)) throw error;
    return { status: 400, body: { error: error.message, code: error.code } };
  }
}

async function decideOrThrow(
  limits: AnyLimits,
  reservations: OpenReservations,
  request: DecideRequest,
): Promise<DecideResult> {
  switch (request.verb) {
    case "consume":
      return decided(await limits.consume(request.domain, request.facts, request.cost));
    case "peek":
      return decided(await limits.peek(request.domain, request.facts, request.cost));
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
      const result = decided(decision);
      return decision.allowed ? withReservation(result, reservations.add(reserved)) : result;
    }
    case "settle": {
      const reserved = reservations.take(request.reservation);
      if (reserved === undefined) return NO_RESERVATION;
      await reserved.settle(request.cost);
      return done();
    }
    case "cancel": {
      const reserved = reservations.take(request.reservation);
      if (reserved === undefined) return NO_RESERVATION;
      await reserved.cancel();
      return done();
    }
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

const NO_RESERVATION: DecideResult = {
  status: 404,
  body: { error: "no such reservation: it was settled or cancelled before, or has expired" },
};

const OWNER_IS_AWAY: DecideResult = {
  status: 503,
  body: { error: "the process that has the reservation does not answer" },
};

function decided(decision: Decision): DecideResult {
  return { status: 200, decision, body: decisionJson(decision) };
}

function withReservation(result: DecideResult, reservation: string): DecideResult {
  return result.status === 200 ? { ...result, body: { ...result.body, reservation } } : result;
}

function done(body: ResultBody = {}): DecideResult {
  return { status: 200, decision: undefined, body };
}
