import { type FuzzedService, PROBE_TOKEN } from "./process/fuzzed-service.ts";
import type { CallConnection } from "./sending/call-connection.ts";

/**
 * Makes requests that every service answers, whatever limits it has read. Resolves with what is wrong with an answer.
 */
export async function askKnownGood(service: FuzzedService): Promise<string | undefined> {
  const answers = [
    await answer(`${service.url}/healthz`, "GET", [200]),
    await answer(`${service.adminUrl}/readyz`, "GET", [200]),
    await answer(`${service.adminUrl}/metrics`, "GET", [200]),
  ];
  switch (service.kind.files) {
    case "limits":
      // A limits file without the domain is valid: then the call is misuse.
      answers.push(await answer(`${service.url}/v1/decide`, "POST", [200, 400], DECIDE));
      break;
    case "envoy":
      answers.push(await answer(`${service.url}/json`, "POST", [200, 429], JSON_REQUEST));
      break;
    case undefined:
      answers.push(await answer(`${service.url}/ping`, "GET", [200, 429]));
      break;
    default:
      return service.kind.files satisfies never;
  }
  if (service.calls !== undefined) answers.push(await healthCheck(service.calls));
  return answers.find((fault) => fault !== undefined) ?? service.redis?.fault();
}

/** Asks for decisions of the limits files of the beginning, after `restore`. */
export async function askRestored({ kind, url }: FuzzedService): Promise<string | undefined> {
  switch (kind.files) {
    case "limits":
      return answer(`${url}/v1/decide`, "POST", [200], DECIDE, /^(?!.*"degraded").*"allowed":/);
    case "envoy":
      return answer(`${url}/json`, "POST", [200, 429], JSON_REQUEST, /"unit":"MINUTE"/);
    case undefined:
      return undefined;
    default:
      return kind.files satisfies never;
  }
}

const DECIDE = '{"domain":"api","verb":"peek","facts":{"ip":"192.0.2.99"}}';
const JSON_REQUEST = '{"domain":"edge","descriptors":[{"entries":[{"key":"generic_key","value":"public"}]}]}';

async function answer(
  url: string,
  method: "GET" | "POST",
  statuses: readonly number[],
  body?: string,
  pattern = /(?:)/,
): Promise<string | undefined> {
  const headers = { authorization: `Bearer ${PROBE_TOKEN}`, connection: "close", "content-type": "application/json" };
  const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
  const text = await response.text();
  if (statuses.includes(response.status) && pattern.test(text)) return undefined;
  return `${method} ${url}: expected ${statuses.join(" or ")}, got ${response.status}: ${text.slice(0, 1_000)}`;
}

async function healthCheck(calls: CallConnection): Promise<string | undefined> {
  const { status, message } = await calls.call({
    path: "/grpc.health.v1.Health/Check",
    headers: { "content-type": "application/grpc", te: "trailers" },
    body: Buffer.alloc(5),
    isReset: false,
  });
  return status === 0 ? undefined : `grpc.health.v1: expected status 0, got ${status}: ${message}`;
}
