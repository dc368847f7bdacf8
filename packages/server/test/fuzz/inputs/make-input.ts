import { Random } from "../random.ts";
import { callInput } from "./call-input.ts";
import { framesInput } from "./frames-input.ts";
import { httpInput } from "./http-input.ts";
import type { Input } from "./input.ts";
import { limitsInput } from "./limits-input.ts";

/** Makes the input of a number. It follows from the seed and the number alone, so that a failure can be replayed. */
export function makeInput(seed: number, number: number): Input {
  const random = new Random(seed, number);
  const share = random.below(100);
  if (share < 60) return httpInput(random);
  if (share < 82) return callInput(random);
  if (share < 97) return framesInput(random);
  return limitsInput(random);
}
