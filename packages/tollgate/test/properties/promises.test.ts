import { describe } from "vitest";
import { PROMISES } from "./all-properties.ts";
import { hold } from "./hold.ts";

describe("what the documentation promises:", () => {
  hold(PROMISES);
});
