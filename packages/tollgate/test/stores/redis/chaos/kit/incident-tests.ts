import { expect, it } from "vitest";
import {
  againstPolicy,
  answeredWithoutServer,
  type BackWithinMs,
  circuitFaults,
  crashes,
  degradedOutside,
  notBack,
  tooLong,
  unknownCauses,
  unobserved,
} from "./findings.ts";
import type { Run } from "./traffic-run.ts";

/** Promises in every incident: bounded waits, no crashes, notified observers. */
export function itStandsThrough(run: () => Run<unknown>, causes: readonly string[]): void {
  it("no call waits longer than its timeout", () => {
    expect(tooLong(run())).toEqual([]);
  });

  it("every call ends with a decision, and no rejection is unhandled", () => {
    expect(crashes(run())).toEqual([]);
  });

  it("every decision without the server has its cause, and observers are notified", () => {
    expect(unknownCauses(run(), causes)).toEqual([]);
    expect(unobserved(run())).toEqual([]);
  });

  it("decisions without the server follow the failure policies", () => {
    expect(againstPolicy(run())).toEqual([]);
  });
}

/** Promises while the server is unavailable for all clients, or replies only after `replyMs`. */
export function itIsGone(run: () => Run, replyMs = Number.POSITIVE_INFINITY): void {
  it("every decision is degraded while the server is unavailable", () => {
    expect(answeredWithoutServer(run(), replyMs)).toEqual([]);
  });

  it("the circuit opens, and closes again", () => {
    expect(circuitFaults(run())).toEqual([]);
  });
}

/** Promises after the server is back. */
export function itIsBack(run: () => Run, within: BackWithinMs = () => 1_000): void {
  it("the server decides all calls before the failure and from one second after it is back", () => {
    expect(notBack(run(), within)).toEqual([]);
    expect(degradedOutside(run(), within)).toEqual([]);
  });
}
