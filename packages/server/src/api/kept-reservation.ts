import type { AsyncReservation, KeptReservation, Reservation } from "tollgate";

/** For so long the store keeps what a client has neither settled nor cancelled. */
const KEPT_FOR = "10m";

/** Opens what the store keeps, by its id. */
export type OpenKept = (id: string) => KeptReservation;

/**
 * Has the store keep a reservation. The id names its domain, too, whose units a cost may have. `undefined` for what
 * only this process can settle: it was decided without the store, or the store has failed since.
 */
export async function keptId(reserved: Reservation | AsyncReservation, domain: string): Promise<string | undefined> {
  if (!("keep" in reserved) || reserved.decision.degraded !== undefined) return undefined;
  const id = await reserved.keep(KEPT_FOR).catch(() => undefined);
  return id === undefined ? undefined : `${id}.${nameOf(domain)}`;
}

/** The reservation and the domain of such an id; `undefined` for another id. */
export function keptBy(
  open: OpenKept,
  domains: readonly string[],
  given: string,
): { readonly domain: string; readonly reservation: KeptReservation } | undefined {
  const [id = "", name] = given.split(".");
  const domain = domains.find((one) => nameOf(one) === name);
  return domain === undefined ? undefined : { domain, reservation: open(id) };
}

function nameOf(domain: string): string {
  return Buffer.from(domain).toString("base64url");
}
