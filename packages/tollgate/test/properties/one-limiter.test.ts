import { describe } from "vitest";
import { ONE_LIMITER } from "./agreement.ts";
import { FULL_RING } from "./full-ring.ts";
import { hold } from "./hold.ts";

describe("the library and the reference model, one limiter:", () => {
  hold([...ONE_LIMITER, ...FULL_RING]);
});
