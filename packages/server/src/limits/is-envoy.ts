import { isMap, parseDocument } from "yaml";
import type { FileText } from "../files/read-texts.ts";

/** Whether the first file is one of Envoy's reference service, which names its one domain. */
export function isEnvoyFile([first]: readonly FileText[]): boolean {
  if (first === undefined) return false;
  const { contents } = parseDocument(first.text);
  return isMap(contents) && contents.has("domain");
}
