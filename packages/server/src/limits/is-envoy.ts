import { type ForeignYaml, LimitsFileError, parseYaml } from "tollgate/config";
import * as yaml from "yaml";
import { FilesError, type FileText, readTexts } from "../files/read-texts.ts";
import { isObject } from "../http/readers.ts";
import type { LimitsSettings } from "./limits-settings.ts";

/** A word of files that name one domain, in each way to write a key. Files with `domains` need not be parsed for it. */
const DOMAIN = /\bdomain["']?\s*:/;

/** Each level of descriptors is two levels of YAML. Metadata goes to the proxy with its types. */
export const ENVOY_YAML: ForeignYaml = { mostLevels: 136, typed: ["metadata"] };

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
  const read = (value: unknown): boolean => isObject(value) && "domain" in value;
  try {
    return parseYaml(first.text, { file: first.file, yaml, ...ENVOY_YAML, read });
  } catch (error) {
    // The reader of limits files says what is wrong.
    if (error instanceof LimitsFileError) return false;
    throw error;
  }
}
