import { describe } from "vitest";
import { ONE_LIMITER } from "./agreement.ts";
import { FULL_RING } from "./full-ring.ts";
import { hold } from "./hold.ts";

describe("one limiter and the model", () => {
  hold([...ONE_LIMITER, ...FULL_RING]);
});
