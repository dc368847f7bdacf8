import { describe } from "vitest";
import { LONG_LIVES, SEVERAL_LIMITERS } from "./agreement.ts";
import { hold } from "./hold.ts";

describe("several limiters, long lives and the model", () => {
  hold([...SEVERAL_LIMITERS, ...LONG_LIVES]);
});
