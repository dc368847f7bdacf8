import { describe } from "vitest";
import { itIsFlooded } from "./kit/flood-tests.ts";

describe("a flood during which Redis stands still for 150 ms is admitted no more than its limit and what says so", () => {
  itIsFlooded("stalled for 150 ms", [], () => {});
});
