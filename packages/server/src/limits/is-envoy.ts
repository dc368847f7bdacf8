import { deepYamlLevel } from "tollgate/config";
import * as yaml from "yaml";
import type { FileText } from "../files/read-texts.ts";

/** A word of files that name one domain, in each way to write a key. Files with `domains` need not be parsed for it. */
const DOMAIN = /\bdomain["']?\s*:/;

/** Whether the first file is one of Envoy's reference service, which names its one domain. */
export function isEnvoyFile([first]: readonly FileText[]): boolean {
  if (first === undefined || !DOMAIN.test(first.text)) return false;
  // The reader of limits files says what is wrong with a text that is too deep.
  if (deepYamlLevel(first.text, yaml) !== undefined) return false;
  const { contents } = yaml.parseDocument(first.text);
  return yaml.isMap(contents) && contents.has("domain");
}
