import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

/** A file's path and text. */
export interface FileText {
  readonly file: string;
  readonly text: string;
}

/** The files cannot be read. The message says which and why, on one line. */
export class FilesError extends Error {
  override readonly name = "FilesError";
}

/** More than limits that people or their tools write: 10,000 rules have about two megabytes. */
const MOST_BYTES = 16 * 1024 * 1024;
const MOST_FILES = 1_000;

const NAMES = /\.(?:ya?ml|json)$/i;

/**
 * Reads a file, or the YAML and JSON files of a directory in the order of their names. Names that begin with a dot are
 * left out: editors and Kubernetes have files of their own there.
 *
 * @throws FilesError if there is no such file, if it cannot be read, or if it is too large.
 */
export async function readTexts(path: string): Promise<FileText[]> {
  try {
    const files = (await stat(path)).isDirectory() ? await filesOf(path) : [path];
    const texts: FileText[] = [];
    let bytes = 0;
    for (const file of files) {
      const found = await stat(file);
      // Opening a pipe would wait for a writer, and reading a device might never end.
      if (!found.isFile()) throw new FilesError(`${file}: expected a file, got a pipe, a device or a directory`);
      bytes += found.size;
      if (bytes > MOST_BYTES) throw new FilesError(`${file}: expected at most ${MOST_BYTES} bytes in all files`);
      texts.push({ file, text: await readFile(file, "utf8") });
    }
    return texts;
  } catch (cause) {
    if (cause instanceof FilesError) throw cause;
    const { code = "unknown error" } = cause as NodeJS.ErrnoException;
    throw new FilesError(`${path}: expected a file or a directory that can be read, got ${code}`, { cause });
  }
}

async function filesOf(directory: string): Promise<string[]> {
  const names = (await readdir(directory)).filter((name) => NAMES.test(name) && !name.startsWith("."));
  if (names.length > MOST_FILES) throw new FilesError(`${directory}: expected at most ${MOST_FILES} files`);
  return names.sort().map((name) => join(directory, name));
}
