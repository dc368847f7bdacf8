import { describe } from "vitest";
import { expectExact, itIsFlooded } from "./kit/flood-tests.ts";

// Redis answers every call in time, so it decides every request.
describe("a flood over a healthy Redis is admitted exactly its limit, by Redis:", () => {
  itIsFlooded("healthy", [], expectExact);
});

describe("a flood over a Redis that is 20 ms away is admitted exactly its limit, by Redis:", () => {
  itIsFlooded("slow by 20 ms", [], expectExact);
});
