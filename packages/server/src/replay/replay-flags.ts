import { parseFlags } from "../command/parse-flags.ts";
import { UsageError } from "../command/usage-error.ts";
import { type FailIf, parseFailIf } from "./fail-if.ts";
import { type ClientKey, DETAIL_KEYS } from "./replay.ts";
import type { Share } from "./suggest.ts";
import { REPLAY_USAGE } from "./usage.ts";

/** What `tollgate replay` is told. */
export interface ReplayFlags {
  readonly files: readonly string[];
  readonly limits: string | undefined;
  /** The first domain of the file by default. */
  readonly domain: string | undefined;
  readonly key: ClientKey;
  readonly share: Share | undefined;
  readonly json: boolean;
  /** Where the report goes. */
  readonly html: string | undefined;
  readonly failIf: FailIf | undefined;
  readonly maxClients: number;
}

const OPTIONS = {
  limits: { type: "string" },
  domain: { type: "string" },
  key: { type: "string" },
  suggest: { type: "string" },
  json: { type: "boolean" },
  html: { type: "string" },
  "fail-if": { type: "string" },
  "max-clients": { type: "string" },
} as const;

const DEFAULT_SHARE = "99.9";
const DEFAULT_MAX_CLIENTS = 500_000;
const MOST_CLIENTS = 10_000_000;

/** @throws UsageError */
export function readReplayFlags(args: readonly string[]): ReplayFlags {
  const { values, positionals: files } = parseFlags(args, OPTIONS);
  if (files.length === 0) throw new UsageError(`replay: expected an access log, got none; usage: ${REPLAY_USAGE}`);
  const { limits, domain, html, json = false, "fail-if": failIf } = values;
  if (html !== undefined && (html === "" || files.includes(html) || html === limits)) {
    throw new UsageError(`--html: expected a file of its own, got ${JSON.stringify(html)}`);
  }
  if (domain !== undefined && limits === undefined) throw new UsageError("--domain: expected with --limits");
  if (failIf !== undefined && limits === undefined) throw new UsageError("--fail-if: expected with --limits");
  // Without limits there is nothing else to tell.
  const suggest = values.suggest ?? (limits === undefined ? DEFAULT_SHARE : undefined);
  return {
    files,
    limits,
    domain,
    json,
    html,
    key: keyOf(values.key ?? "address"),
    share: suggest === undefined ? undefined : shareOf(suggest),
    failIf: failIf === undefined ? undefined : parseFailIf(failIf),
    maxClients: maxClientsOf(values["max-clients"]),
  };
}

function keyOf(text: string): ClientKey {
  if (text === "address" || Object.hasOwn(DETAIL_KEYS, text)) return text as Exclude<ClientKey, object>;
  if (text.includes(".") && !text.startsWith(".")) return { field: text.startsWith("json.") ? text.slice(5) : text };
  const expected = "address, user, user-agent, path, or a field of JSON lines such as json.api_key";
  throw new UsageError(`--key: expected ${expected}, got ${JSON.stringify(text)}`);
}

/** `99.9` percent of clients that must not be denied anything. */
function shareOf(text: string): Share {
  const percent = /^\d{1,3}(?:\.\d{1,6})?%?$/.test(text) ? Number.parseFloat(text) : 0;
  if (percent > 0 && percent <= 100) return { text, parts: Math.round((100 - percent) * 1e6) };
  throw new UsageError(`--suggest: expected a percentage of clients such as 99.9, got ${JSON.stringify(text)}`);
}

function maxClientsOf(text = String(DEFAULT_MAX_CLIENTS)): number {
  const number = /^\d+$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= MOST_CLIENTS) return number;
  throw new UsageError(`--max-clients: expected a number from 1 to ${MOST_CLIENTS}, got ${JSON.stringify(text)}`);
}
