import { Random } from "../random.ts";
import { callInput } from "./call-input.ts";
import { framesInput } from "./frames-input.ts";
import { httpInput } from "./http-input.ts";
import type { Input } from "./input.ts";
import { limitsInput } from "./limits-input.ts";
import { SERVICE_NAMES, type ServiceName } from "./service-kinds.ts";

/**
 * Makes the input of a number. It follows from the seed, the number and the services that run, so that a failure can be
 * replayed.
 */
export function makeInput(seed: number, number: number, services: readonly ServiceName[] = SERVICE_NAMES): Input {
  const random = new Random(seed, number);
  const share = random.below(100);
  if (share < 60) return httpInput(random, services);
  if (share < 82) return callInput(random, services);
  if (share < 97) return framesInput(random, services);
  return limitsInput(random, services);
}
