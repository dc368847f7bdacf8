import { describe } from "vitest";
import { LONG_LIVES, ONE_LIMITER, SEVERAL_LIMITERS } from "./agreement.ts";
import { FULL_RING } from "./full-ring.ts";
import { hold } from "./hold.ts";

describe("the library and the reference model, one limiter:", () => {
  hold([...ONE_LIMITER, ...FULL_RING], "deep");
});

describe("the library and the reference model, several limiters:", () => {
  hold(SEVERAL_LIMITERS, "deep");
});

describe("the library and the reference model, sweeps and jumps of the clock:", () => {
  hold(LONG_LIVES, "deep");
});
