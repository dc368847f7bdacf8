import { deepYamlLevel } from "tollgate/config";
import * as yaml from "yaml";
import type { FileText } from "../files/read-texts.ts";

/** Whether the first file is one of Envoy's reference service, which names its one domain. */
export function isEnvoyFile([first]: readonly FileText[]): boolean {
  // The reader of limits files says what is wrong with a text that is too deep.
  if (first === undefined || deepYamlLevel(first.text, yaml) !== undefined) return false;
  const { contents } = yaml.parseDocument(first.text);
  return yaml.isMap(contents) && contents.has("domain");
}
