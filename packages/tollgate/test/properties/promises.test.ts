import { describe } from "vitest";
import { EXACT_BUCKETS } from "./exact-buckets.ts";
import { hold } from "./hold.ts";
import { RETRY_AFTER } from "./retry-after.ts";
import { SCALED_BUCKETS } from "./scaled-buckets.ts";
import { WINDOW_BOUND } from "./window-bound.ts";
import { WINDOW_PROMISE } from "./window-promise.ts";

describe("what is promised", () => {
  hold([...EXACT_BUCKETS, ...SCALED_BUCKETS, ...RETRY_AFTER, ...WINDOW_BOUND, ...WINDOW_PROMISE]);
});
