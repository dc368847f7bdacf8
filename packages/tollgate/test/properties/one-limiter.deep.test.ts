import { describe } from "vitest";
import { ONE_LIMITER } from "./agreement.ts";
import { FULL_RING } from "./full-ring.ts";
import { hold } from "./hold.ts";

// The quick tier runs a tenth of these cases: `properties.test.ts`.
describe("the library and the reference model, one limiter:", () => {
  hold(ONE_LIMITER, "deep");
});

describe("the library and the reference model, long logs:", () => {
  hold(FULL_RING, "deep");
});
