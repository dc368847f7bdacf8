/** What went wrong in a process, in one line that names no folder: its last error, or how it ended. */
export function reasonOf(error: unknown): string {
  const printed = hasStderr(error) ? error.stderr : String(error);
  const lines = printed.split("\n").filter((line) => /^\w*(?:Error|Exception)\b.*: /.test(line));
  const line = lines.at(-1) ?? (error instanceof Error ? error.message.split("\n")[0]! : printed);
  return line.replaceAll(/(?:file:\/\/)?(?:\/[^\s/'"]+)+\/([^\s/'"]+)/g, "$1");
}

function hasStderr(error: unknown): error is { readonly stderr: string } {
  return typeof error === "object" && error !== null && "stderr" in error && typeof error.stderr === "string";
}
