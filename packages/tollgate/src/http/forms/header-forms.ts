import { algorithmOf } from "../../algorithms/compile-limit.ts";
import type { Clock } from "../../core/clock.ts";
import { REQUESTS } from "../../core/cost.ts";
import type { Limit } from "../../core/limits/limit.ts";
import { countsPlaces } from "../../core/limits/places.ts";
import type { HeaderList } from "../header-list.ts";
import { PolicyTexts } from "./policy-texts.ts";

/**
 * A form in which responses tell the limits: `"draft-11"` of the IETF's RateLimit headers, or `"draft-8"` to
 * `"draft-10"`, which look the same; the older drafts 07 and 06; or the `X-RateLimit-*` headers that preceded them.
 */
export type HeaderForm = WireForm | "draft-10" | "draft-9" | "draft-8";

/** The forms that look different in a response. */
export type WireForm = "draft-11" | "draft-7" | "draft-6" | "legacy";

/** The state of a client's quota after a decision, as headers tell it. */
export interface ClientQuota {
  /** The binding limit. */
  readonly limit: Limit;
  /** Whole units left under the binding limit. */
  readonly remaining: number;
  /**
   * Milliseconds until the binding limit is idle. If nothing is left or the request was denied: until the same request
   * would pass.
   */
  readonly waitMs: number;
  /** The name of the quota's partition, if `partitionKey` gave one. */
  readonly partition: string | undefined;
}

/** Writes the headers of one form. */
export interface HeaderFormat {
  /** The texts of `RateLimit-Policy`, if the form has that header. */
  readonly policies: PolicyTexts | undefined;
  /** The headers that tell the state. Forms that share one exclude each other. */
  readonly stateHeaders: readonly string[];
  state(quota: ClientQuota, clock: Clock): HeaderList;
}

/** The formats of some forms, the newest first. */
export type HeaderFormats = ReadonlyMap<WireForm, HeaderFormat>;

/** What each form looks like. */
export const WIRE_FORMS: Readonly<Record<HeaderForm, WireForm>> = {
  "draft-11": "draft-11",
  "draft-10": "draft-11",
  "draft-9": "draft-11",
  "draft-8": "draft-11",
  "draft-7": "draft-7",
  "draft-6": "draft-6",
  legacy: "legacy",
};

/** The newest form first: where several forms share a header, the first one's stands. */
export const HEADER_FORMATS: Readonly<Record<WireForm, () => HeaderFormat>> = {
  "draft-11": draft11,
  "draft-7": draft7,
  "draft-6": draft6,
  legacy,
};

/**
 * Structured headers with a name for each policy: `RateLimit-Policy: "a";q=100;w=60` and `RateLimit: "a";r=50;t=30`.
 * Source: draft-ietf-httpapi-ratelimit-headers, 08 to 11.
 */
function draft11(): HeaderFormat {
  return {
    policies: new PolicyTexts(namedPolicy, withPartition),
    stateHeaders: ["RateLimit"],
    state: ({ limit, remaining, waitMs, partition }) => {
      // Places come back when their holders free them, which no time tells.
      const reset = countsPlaces(limit) ? "" : `;t=${secondsText(waitMs)}`;
      const state = `"${limit.name}";r=${integerText(remaining)}${reset}`;
      return [["RateLimit", partition === undefined ? state : withPartition(state, partition)]];
    },
  };
}

function withPartition(item: string, partition: string): string {
  return `${item};pk=:${base64(partition)}:`;
}

/** Names and units are printable ASCII without quotes and backslashes, so they need no escapes. */
function namedPolicy(limit: Limit, nowMs: number): string {
  const unit = limit.unit === REQUESTS ? "" : `;qu="${limit.unit}"`;
  // Places have no window.
  const window = countsPlaces(limit) ? "" : `;w=${integerText(windowSeconds(limit, nowMs))}`;
  return `"${limit.name}";q=${integerText(limit.capacity)}${window}${unit}`;
}

function base64(text: string): string {
  let bytes = "";
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return btoa(bytes);
}

/** `RateLimit: limit=100, remaining=50, reset=30` and `RateLimit-Policy: 100;w=60`. */
function draft7(): HeaderFormat {
  return {
    policies: new PolicyTexts(unnamedPolicy),
    stateHeaders: ["RateLimit"],
    state: ({ limit, remaining, waitMs }) => [
      [
        "RateLimit",
        `limit=${integerText(limit.capacity)}, remaining=${integerText(remaining)}, reset=${secondsText(waitMs)}`,
      ],
    ],
  };
}

/**
 * `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset`, in seconds from now, and `RateLimit-Policy:
 * 100;w=60`.
 */
function draft6(): HeaderFormat {
  return {
    policies: new PolicyTexts(unnamedPolicy),
    stateHeaders: ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"],
    state: ({ limit, remaining, waitMs }) => [
      ["RateLimit-Limit", integerText(limit.capacity)],
      ["RateLimit-Remaining", integerText(remaining)],
      ["RateLimit-Reset", secondsText(waitMs)],
    ],
  };
}

/** Policies had no names before draft 08. A window was required, so limits that have none cannot be told. */
function unnamedPolicy(limit: Limit, nowMs: number): string | undefined {
  if (countsPlaces(limit)) return undefined;
  return `${integerText(limit.capacity)};w=${integerText(windowSeconds(limit, nowMs))}`;
}

/** `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset`, a moment in seconds since the epoch. */
function legacy(): HeaderFormat {
  return {
    policies: undefined,
    stateHeaders: ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"],
    state: ({ limit, remaining, waitMs }, clock) => [
      ["X-RateLimit-Limit", integerText(limit.capacity)],
      ["X-RateLimit-Remaining", integerText(remaining)],
      ["X-RateLimit-Reset", secondsText(clock.now() + waitMs)],
    ],
  };
}

/** The largest integer of a structured header: 15 digits. */
const LARGEST = 999_999_999_999_999;

/** A number as headers show it. */
function integerText(units: number): string {
  return String(Math.min(units, LARGEST));
}

/** Whole seconds, rounded up, so that a client that waits finds what the headers told. */
function secondsText(ms: number): string {
  return integerText(Math.ceil(ms / 1_000));
}

/** The whole seconds in which a limit renews itself: its window's length, or the time in which a token bucket fills. */
function windowSeconds(limit: Limit, nowMs: number): number {
  return algorithmOf(limit).windowSeconds(limit, nowMs * 1_000);
}
