import { beforeEach, type MockInstance, vi } from "vitest";
import { forgetWarnings } from "../../../src/core/warnings.ts";

/** Replaces `console.warn` in each test of the file, in which every warning may be said again. */
export function spiedWarnings(): () => MockInstance<typeof console.warn> {
  let warned: MockInstance<typeof console.warn>;
  beforeEach(() => {
    forgetWarnings();
    warned = vi.spyOn(console, "warn").mockImplementation(() => {});
  });
  return () => warned;
}
