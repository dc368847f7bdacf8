import { type Duration, memoryStore, TollgateError, tokenBucket } from "tollgate";
import { clientIp, type TrustProxy } from "tollgate/node";
import type { Refill } from "../demo/refill.ts";

// Each function reads the value of a flag. `undefined` says that it is not what the flag expects.

/** Only digits: `Number` also reads "", " 8", "0x10" and "1e3". */
export function wholeNumber(least: number, most: number): (text: string) => number | undefined {
  return (text) => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    return number >= least && number <= most ? number : undefined;
  };
}

export function choice<Choice extends string>(choices: readonly Choice[]): (text: string) => Choice | undefined {
  return (text) => choices.find((one) => one === text);
}

/** An empty host would mean every interface. */
export function host(text: string): string | undefined {
  return text.trim() === "" ? undefined : text;
}

export function hostNames(text: string): readonly string[] | undefined {
  const names = text.split(",").map((name) => name.trim());
  return names.every((name) => /^[\w.-]+$/.test(name)) ? names : undefined;
}

export function trust(text: string): TrustProxy | undefined {
  const trusted = /^\d+$/.test(text.trim()) ? Number(text) : text.split(",").map((part) => part.trim());
  return accepted(() => clientIp({ trustProxy: trusted })) && trusted;
}

export function sweepInterval(text: string): Duration | undefined {
  const interval = text as Duration;
  const store = accepted(() => memoryStore({ sweepInterval: interval }));
  store?.close();
  return store && interval;
}

const AN_HOUR_MS = 3_600_000;

/** How long something may be waited for: as long as a store of Redis accepts. */
export function timeoutMs(text: string): number | undefined {
  const ms = durationMs(text);
  return ms !== undefined && ms >= 1 && ms <= AN_HOUR_MS ? ms : undefined;
}

export function timeout(text: string): Duration | undefined {
  return timeoutMs(text) === undefined ? undefined : (text as Duration);
}

const COUNT = /^\d{1,16}(?:\.\d{1,6})?$/;

/** Such as `0.0167`. */
export function refillPerSecond(text: string): Refill | undefined {
  const units = unitsOf(text);
  return units === undefined ? undefined : { units, per: "1s", text: `${text} per second` };
}

/** Such as `1/60s`. */
export function refill(text: string): Refill | undefined {
  const [count = "", per = ""] = text.split(/\/(.*)/s);
  const units = unitsOf(count);
  if (units === undefined || durationMs(per) === undefined) return undefined;
  return { units, per: per as Duration, text: `${count} per ${per}` };
}

/** A positive number with the decimal places that a bucket accepts. */
function unitsOf(text: string): number | undefined {
  const units = COUNT.test(text) ? Number(text) : 0;
  return units > 0 && units <= Number.MAX_SAFE_INTEGER ? units : undefined;
}

function durationMs(text: string): number | undefined {
  return accepted(() => tokenBucket({ capacity: 1, refill: 1, per: text as Duration }).perMs);
}

/** The library knows what it accepts. `undefined` if it refuses. */
function accepted<Value>(use: () => Value): Value | undefined {
  try {
    return use();
  } catch (error) {
    if (error instanceof TollgateError) return undefined;
    throw error;
  }
}
