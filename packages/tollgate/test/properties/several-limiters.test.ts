import { describe } from "vitest";
import { LONG_LIVES, SEVERAL_LIMITERS } from "./agreement.ts";
import { hold } from "./hold.ts";

describe("the library and the reference model, several limiters, sweeps and jumps of the clock:", () => {
  hold([...SEVERAL_LIMITERS, ...LONG_LIVES]);
});
