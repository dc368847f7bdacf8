import { FIRST, MOST_ARRIVALS, type State } from "./state.ts";

export const PRESETS: readonly (readonly [name: string, state: State])[] = [
  ["Double burst at a window's edge", { ...FIRST, arrivals: [...repeat(9_900, 10), ...repeat(10_100, 10)] }],
  [
    "Retry storm",
    { ...FIRST, arrivals: Array.from({ length: 25 }, (_, turn) => repeat(500 + turn * 1_000, 6)).flat() },
  ],
];

function repeat(at: number, count: number): number[] {
  return Array.from({ length: count }, () => at);
}

/** The moments in lines of a log, and how many lines have none. */
export interface Stamps {
  /** Milliseconds since the epoch, in order. */
  readonly momentsMs: readonly number[];
  readonly unreadable: number;
}

const COMMON_LOG = /\[(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d{4})\]/;
const ISO = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?/;
const EPOCH = /(?:^|[\s"=:])(\d{10}(?:\.\d+)?|\d{13})(?!\d)/;

/** Reads one stamp a line: of access logs, in ISO 8601, or as seconds or milliseconds since the epoch. */
export function readStamps(text: string): Stamps {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const moments = lines.map(stampOf).filter((moment) => moment !== undefined);
  return { momentsMs: moments.sort((one, other) => one - other), unreadable: lines.length - moments.length };
}

function stampOf(line: string): number | undefined {
  const [log, day = "", month = "", year = "", time = "", zone = ""] = COMMON_LOG.exec(line) ?? [];
  const [iso] = ISO.exec(line) ?? [];
  const [, epoch] = EPOCH.exec(line) ?? [];
  let moment = Number.NaN;
  if (log !== undefined) moment = Date.parse(`${day} ${month} ${year} ${time} ${zone}`);
  else if (iso !== undefined) moment = Date.parse(iso.replace(" ", "T").replace(",", "."));
  else if (epoch !== undefined) moment = Number(epoch) * (epoch.length === 13 && !epoch.includes(".") ? 1 : 1_000);
  return Number.isNaN(moment) ? undefined : Math.round(moment);
}

/** Moments as arrivals. The start is the window of the clock that has the first one. */
export function arrivalsOf(momentsMs: readonly number[], windowSeconds: number): number[] {
  const [first = 0] = momentsMs;
  const startMs = first - (first % (windowSeconds * 1_000));
  return momentsMs.slice(0, MOST_ARRIVALS).map((moment) => moment - startMs);
}
