import { describe } from "vitest";
import { AGREEMENT, PROMISES } from "./all-properties.ts";
import { hold } from "./hold.ts";

// The deep tier runs ten times as many cases, in three files: `*.deep.test.ts`.
describe("the library and the reference model:", () => {
  hold(AGREEMENT, "quick");
});

describe("what the documentation promises:", () => {
  hold(PROMISES, "quick");
});
