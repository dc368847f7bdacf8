import { deepYamlLevel } from "tollgate/config";
import * as yaml from "yaml";
import { FilesError, type FileText, readTexts } from "../files/read-texts.ts";
import type { LimitsSettings } from "./limits-settings.ts";

/** A word of files that name one domain, in each way to write a key. Files with `domains` need not be parsed for it. */
const DOMAIN = /\bdomain["']?\s*:/;

/**
 * Whether the files are those of Envoy's reference service.
 *
 * @throws FilesError if they cannot be read, or if limits files come with a flag for Envoy's.
 */
export async function isEnvoy({ path, shadow }: LimitsSettings): Promise<boolean> {
  if (isEnvoyFile(await readTexts(path))) return true;
  if (!shadow) return false;
  throw new FilesError(`${path}: expected files of Envoy's ratelimit with --shadow; a rule has mode: shadow`);
}

/** Whether the first file is one of Envoy's reference service, which names its one domain. */
export function isEnvoyFile([first]: readonly FileText[]): boolean {
  if (first === undefined || !DOMAIN.test(first.text)) return false;
  // The reader of limits files says what is wrong with a text that is too deep.
  if (deepYamlLevel(first.text, yaml) !== undefined) return false;
  const { contents } = yaml.parseDocument(first.text);
  return yaml.isMap(contents) && contents.has("domain");
}
