import { AlbFormat } from "./alb.ts";
import { CloudFrontFormat } from "./cloudfront.ts";
import { CommonFormat } from "./common.ts";
import { emptyEntry, type LogFormat, readText } from "./entry.ts";
import { EnvoyFormat } from "./envoy.ts";
import { JsonFormat } from "./json-lines.ts";

/** The formats, the strictest first. */
const FORMATS: readonly ((client: string | undefined) => LogFormat)[] = [
  () => new CloudFrontFormat(),
  (client) => new JsonFormat(client),
  () => new AlbFormat(),
  () => new EnvoyFormat(),
  () => new CommonFormat(),
];

/**
 * The format that reads most of the first lines; `undefined` if none reads any.
 *
 * @param client The field of JSON lines that tells clients apart, instead of the address.
 */
export function detectFormat(lines: readonly string[], client?: string): LogFormat | undefined {
  let best: { readonly make: () => LogFormat; readonly count: number } | undefined;
  for (const formatFor of FORMATS) {
    const make = () => formatFor(client);
    const format = make();
    const entry = emptyEntry(false);
    const count = lines.filter((line) => readText(format, line, entry) === "request").length;
    if (count > (best?.count ?? 0)) best = { make, count };
  }
  return best?.make();
}
