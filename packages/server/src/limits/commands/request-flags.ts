import type { Facts } from "tollgate/config";
import { parseFlags } from "../../command/parse-flags.ts";
import { UsageError } from "../../command/usage-error.ts";

/** A request that `tollgate explain` is asked about. */
export interface RequestFlags {
  readonly file: string;
  /** The first domain of the file by default. */
  readonly domain: string | undefined;
  readonly facts: Facts;
}

const OPTIONS = {
  domain: { type: "string" },
  request: { type: "string" },
  ip: { type: "string" },
  host: { type: "string" },
  header: { type: "string", multiple: true },
  descriptor: { type: "string", multiple: true },
} as const;

/** @throws UsageError */
export function readRequestFlags(args: readonly string[], usage: string): RequestFlags {
  const { values, positionals } = parseFlags(args, OPTIONS);
  const [file, stray] = positionals;
  if (file === undefined) throw new UsageError(`explain: expected a file, got none; usage: ${usage}`);
  if (stray !== undefined) throw new UsageError(`explain: expected one file, got ${JSON.stringify(stray)} too`);
  const { domain, request, ip, host, header = [], descriptor = [] } = values;
  const headers = header.map((text) => pairIn("--header", text, ":", "'name: value'"));
  const entries = descriptor.map((text) => pairIn("--descriptor", text, "=", "key=value"));
  return {
    file,
    domain,
    facts: {
      ...(request !== undefined && requestLine(request)),
      ip,
      host,
      header: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
      descriptor: Object.fromEntries(entries),
    },
  };
}

function requestLine(text: string): Pick<Facts, "method" | "path"> {
  const [method, path, stray] = text.trim().split(/ +/);
  if (method !== undefined && path?.startsWith("/") === true && stray === undefined) return { method, path };
  throw new UsageError(`--request: expected a method and a path, such as 'GET /', got ${JSON.stringify(text)}`);
}

function pairIn(flag: string, text: string, separator: string, expected: string): readonly [string, string] {
  const at = text.indexOf(separator);
  if (at > 0) return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  throw new UsageError(`${flag}: expected ${expected}, got ${JSON.stringify(text)}`);
}
