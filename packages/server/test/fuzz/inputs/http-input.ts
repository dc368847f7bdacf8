import { mutateBytes } from "../mutate.ts";
import type { Random } from "../random.ts";
import { httpRequest } from "./http-request.ts";
import type { BytesInput, Ending } from "./input.ts";
import type { ServiceName } from "./service-kinds.ts";

/** Requests over one connection, whole or broken, at once or slowly. */
export function httpInput(random: Random, services: readonly ServiceName[]): BytesInput {
  const kind = random.percent(80) ? "http" : "admin";
  const service = random.pick(services);
  const count = random.percent(85) ? 1 : random.size(60);
  const requests = random.list(count, () => httpRequest(random, kind === "admin" ? "admin" : service));
  const whole = Buffer.concat(requests);
  const isBroken = random.percent(35);
  const bytes = isBroken ? mutateBytes(random, whole) : whole;
  return {
    kind,
    service,
    chunks: pieces(random, bytes),
    pauseMs: random.below(8),
    ending: isBroken || random.percent(15) ? hangUp(random, kind) : { kind: "answers", count },
  };
}

/** The admin listener has few connections, so that silent ones could keep out the others. */
function hangUp(random: Random, kind: "http" | "admin"): Ending {
  if (kind === "http" && random.percent(3)) return { kind: "silence" };
  return random.percent(60) ? { kind: "half-close" } : { kind: "reset", afterMs: random.below(8) };
}

/** Mostly one piece. */
export function pieces(random: Random, bytes: Buffer): Buffer[] {
  const cuts = random.percent(80) ? [] : random.list(random.between(1, 6), () => random.below(bytes.length + 1));
  const ends = [...cuts.sort((a, b) => a - b), bytes.length];
  return ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end)).filter((piece) => piece.length > 0);
}
