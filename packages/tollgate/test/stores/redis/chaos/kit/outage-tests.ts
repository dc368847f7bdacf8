import { expect, it } from "vitest";
import { figuresOf } from "./figures.ts";
import {
  againstPolicy,
  answeredWithoutServer,
  type BackWithinMs,
  circuitFaults,
  crashes,
  degradedOutside,
  notBack,
  tooLong,
  unheard,
  unknownCauses,
} from "./findings.ts";
import type { Run } from "./traffic-run.ts";

/** What holds whatever happens: nobody waits too long, nothing crashes, and whoever is to hear of it does. */
export function itStandsThrough(run: () => Run<unknown>, causes: readonly string[]): void {
  it("lets no call wait longer than its time", async ({ annotate }) => {
    await annotate(figuresOf(run()));
    expect(tooLong(run())).toEqual([]);
  });

  it("ends every call, with a decision, and leaves no rejection unhandled", () => {
    expect(crashes(run())).toEqual([]);
  });

  it("says why in every decision that was made without the server, and to observers", () => {
    expect(unknownCauses(run(), causes)).toEqual([]);
    expect(unheard(run())).toEqual([]);
  });

  it("decides without the server as the policies say", () => {
    expect(againstPolicy(run())).toEqual([]);
  });
}

/** What holds when the server cannot be asked by anybody for a while. */
export function itIsGone(run: () => Run): void {
  it("is not asked while it is gone: every decision says so", () => {
    expect(answeredWithoutServer(run())).toEqual([]);
  });

  it("has the circuit opened, and closed", () => {
    expect(circuitFaults(run())).toEqual([]);
  });
}

/** What holds when it can be asked again. */
export function itIsBack(run: () => Run, within: BackWithinMs = () => 1_000): void {
  it("decides within a second after it is back, and everything before and later", () => {
    expect(notBack(run(), within)).toEqual([]);
    expect(degradedOutside(run(), within)).toEqual([]);
  });
}
