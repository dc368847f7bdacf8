import { describe } from "vitest";
import { expectExact, itIsFlooded } from "./kit/flood-tests.ts";

describe("a flood over a healthy Redis is admitted its limit, by Redis", () => {
  itIsFlooded("healthy", [], expectExact);
});
