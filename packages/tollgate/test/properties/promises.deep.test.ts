import { describe } from "vitest";
import { PROMISES } from "./all-properties.ts";
import { hold } from "./hold.ts";

// The quick tier runs a tenth of these cases: `properties.test.ts`. To replay a failure use the seed and the path that
// it prints, as in `npm run fuzz -- --seed 1 --path 12:3`.
describe("what the documentation promises:", () => {
  hold(PROMISES, "deep");
});
