import { describe } from "vitest";
import { itIsFlooded } from "./kit/flood-tests.ts";

// The failure policy decides some requests. Those that it admits have the cause in a header.
describe("a flood during stalls of Redis of 150 ms is admitted its limit, and more only as degraded:", () => {
  itIsFlooded("stalled for 150 ms", [], () => {});
});

describe("a flood during a restart of Redis is admitted its limit, and more only as degraded:", () => {
  itIsFlooded("restarting", ["--appendonly", "yes", "--appendfsync", "always"], () => {});
});
