import { afterEach, vi } from "vitest";

/** Files share processes, so each test leaves its process as it found it: real time, and no spies or other globals. */
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});
