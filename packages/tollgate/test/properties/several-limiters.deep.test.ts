import { describe } from "vitest";
import { LONG_LIVES, SEVERAL_LIMITERS } from "./agreement.ts";
import { hold } from "./hold.ts";

// The quick tier runs a tenth of these cases: `properties.test.ts`.
describe("the library and the reference model, several limiters:", () => {
  hold(SEVERAL_LIMITERS, "deep");
});

describe("the library and the reference model, sweeps and jumps of the clock:", () => {
  hold(LONG_LIVES, "deep");
});
