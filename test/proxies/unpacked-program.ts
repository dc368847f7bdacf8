import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where `tools/unpack-for-tests.sh` unpacks what the system lacks. */
const UNPACKED = fileURLToPath(new URL("installed", import.meta.url));

const FOLDERS = [
  ...["usr/sbin", "usr/bin"].map((folder) => join(UNPACKED, folder)),
  ...(process.env["PATH"] ?? "").split(delimiter),
  "/usr/sbin",
];

/** The path of a program from a package of Debian. */
export function programPath(name: string): string {
  const found = FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path));
  if (found === undefined) throw new Error(`expected ${name}: run tools/unpack-for-tests.sh`);
  return found;
}

/** The environment in which unpacked programs find the libraries that were unpacked with them. */
export function programEnvironment(home: string): NodeJS.ProcessEnv {
  const triplet = process.arch === "arm64" ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
  const libraries = ["usr/lib", "lib"].map((folder) => join(UNPACKED, folder, triplet));
  return { PATH: process.env["PATH"], HOME: home, LD_LIBRARY_PATH: libraries.join(delimiter) };
}
