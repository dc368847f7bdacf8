import { describe } from "vitest";
import { expectExact, itIsFlooded } from "./kit/flood-tests.ts";

describe("a flood over a Redis that is 20 ms away is admitted its limit, by Redis", () => {
  itIsFlooded("slow by 20 ms", [], expectExact);
});
