import { type ManualClock, manualClock } from "tollgate/testing";
import type { AdminToken } from "../../src/admin/admin-token.ts";
import { JSON_BODY } from "../support/json-body.ts";
import { limitsFile, type TestLimitsFile } from "../support/limits-file.ts";
import { type ServiceWithAdmin, startWithAdmin } from "../support/test-admin.ts";

export const WRITER = "writer-0123456789";
export const READER = "reader-0123456789";
const TOKENS: readonly AdminToken[] = [
  { token: WRITER, name: "ann", access: "write" },
  { token: READER, access: "read" },
];

export const LIMITS = `
version: 1
domains:
  api:
    limits:
      client: { by: ip, rate: 3/1m }
      login: { match: { method: POST, path: /login }, by: ip, within: 1/15m }
      key: { by: header.x-api-key, rate: 5/1m, keys: { secret-1: { rate: 1/1m } } }
`;

export const START_MS = Date.UTC(2026, 10, 23, 12);

export type Body = Readonly<Record<string, unknown>>;

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

export interface Operated extends ServiceWithAdmin, TestLimitsFile {
  readonly clock: ManualClock;
  /** A call of the admin listener. */
  operate(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answered>;
  /** Asks the main listener. */
  decide(call: Body): Promise<Body>;
  /** The lines of the audit log, without what differs from run to run. */
  audited(): Body[];
}

/** A service over a limits file with an admin listener that has tokens. */
export async function startOperated(text: string = LIMITS): Promise<Operated> {
  const clock = manualClock(START_MS);
  const file = await limitsFile(text);
  const settings = { application: file.application, clock, requestIds: true };
  const service = await startWithAdmin(settings, { tokens: TOKENS });
  return {
    ...service,
    ...file,
    clock,
    operate: async (method, path, body, headers = {}) => {
      const response = await fetch(service.adminUrl + path, {
        method,
        headers: {
          authorization: `Bearer ${WRITER}`,
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
    },
    decide: async (call) => {
      const body = JSON.stringify({ domain: "api", ...call });
      return (await (
        await fetch(`${service.url}/v1/decide`, { method: "POST", headers: JSON_BODY, body })
      ).json()) as Body;
    },
    audited: () =>
      service.log
        .map((line) => JSON.parse(line) as Body)
        .filter(({ event }) => event === "audit")
        .map(({ time: _time, level: _level, event: _event, msg: _message, ...fields }) => fields),
  };
}
