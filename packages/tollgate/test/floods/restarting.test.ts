import { describe } from "vitest";
import { itIsFlooded } from "./kit/flood-tests.ts";

describe("a flood during which Redis is killed and started again is admitted no more than its limit and what says so", () => {
  itIsFlooded("restarting", ["--appendonly", "yes", "--appendfsync", "always"], () => {});
});
