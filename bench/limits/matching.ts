import { createLimits, type Facts, type LimitsFile, type MatchWords } from "tollgate/config";
import { expectCount } from "../harness/measuring.ts";
import type { Measured } from "../harness/rounds.ts";

/** By what the rules of a file differ. One matches each request. */
export const MATCHING_KINDS = {
  path: "paths such as `/v1/x7/**`",
  "path and method": "paths and a method",
  anywhere: "paths such as `/**/x7`",
  host: "hosts",
  header: "texts of a header",
  address: "CIDR blocks",
} as const;

export type MatchingKind = keyof typeof MATCHING_KINDS;

export interface MatchingOrder {
  readonly kind: MatchingKind;
  readonly rules: number;
  readonly table: string;
  readonly chunks: number;
}

const IP = "192.0.2.1";
const MAKERS: Readonly<Record<MatchingKind, (i: number) => { readonly match: MatchWords; readonly facts: Facts }>> = {
  path: (i) => ({ match: { path: `/v1/x${i}/**` }, facts: { ip: IP, path: `/v1/x${i}/a/b` } }),
  "path and method": (i) => ({
    match: { method: "POST", path: `/v1/x${i}` },
    facts: { ip: IP, method: "POST", path: `/v1/x${i}` },
  }),
  anywhere: (i) => ({ match: { path: `/**/x${i}` }, facts: { ip: IP, path: `/v1/a/b/x${i}` } }),
  host: (i) => ({ match: { host: `h${i}.example.com` }, facts: { ip: IP, path: "/", host: `h${i}.example.com` } }),
  header: (i) => ({ match: { "header.x": `t${i}` }, facts: { ip: IP, path: "/", header: { x: `t${i}` } } }),
  address: (i) => ({ match: { ip: `10.${i >> 8}.${i & 255}.0/24` }, facts: { ip: `10.${i >> 8}.${i & 255}.7` } }),
};

/** A file with so many rules. */
export function fileOf(rules: number, kind: MatchingKind = "path"): LimitsFile {
  const limits = Array.from({ length: rules }, (_, i) => [
    `r${i}`,
    { match: MAKERS[kind](i).match, by: "ip", rate: "9000000/1s" },
  ]);
  return { version: 1, domains: { api: { limits: Object.fromEntries(limits) as never } } };
}

const REQUESTS = 10;
const CHUNK = 2_000;
const WARM_UP_CHUNKS = 50;

/** Nanoseconds of a `consume`: of many chunks the tenth part that is quickest, because other work disturbs the rest. */
export function measureMatching({ kind, rules, table, chunks }: MatchingOrder): Measured[] {
  const limits = createLimits(fileOf(rules, kind));
  // As many for every number of rules: more would also measure more memory of the limiters.
  const requests = Array.from({ length: REQUESTS }, (_, i) => MAKERS[kind](Math.floor((i * rules) / REQUESTS)).facts);
  let counted = 0;
  const times: number[] = [];
  for (let chunk = -WARM_UP_CHUNKS; chunk < chunks; chunk += 1) {
    const startMs = performance.now();
    for (let call = 0; call < CHUNK; call += 1) {
      if (limits.consume("api", requests[call % REQUESTS]!).limits.length === 1) counted += 1;
    }
    if (chunk >= 0) times.push(((performance.now() - startMs) * 1e6) / CHUNK);
  }
  limits.close();
  expectCount("calls that one rule counted", counted, (WARM_UP_CHUNKS + chunks) * CHUNK);
  times.sort((one, other) => one - other);
  return [{ table, row: kind, figures: { ns: times[Math.floor(times.length / 10)]! } }];
}
