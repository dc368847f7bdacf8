import { chownSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../harness/child-process.ts";
import { freePort, HOST, startProgram } from "../harness/server-program.ts";

/** The server refuses to run as root. */
const NOBODY = 65_534;

/** Starts a server with its default settings. @throws Error when PostgreSQL is missing. */
export async function startPostgres() {
  const { stdout } = await run("sh", ["-c", "ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1"]);
  const bin = stdout.trim();
  if (bin === "") throw new Error("The bench needs PostgreSQL. Install it first: apt-get install postgresql");
  const isRoot = process.getuid?.() === 0;
  const asUser = isRoot ? ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"] : [];
  const folder = mkdtempSync(join(tmpdir(), "tollgate-bench-postgres-"));
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  const data = join(folder, "data");
  const initdb = [...asUser, join(bin, "initdb"), "-D", data, "-U", "bench", "--auth=trust", "--encoding=UTF8"];
  await run(initdb[0]!, initdb.slice(1), { cwd: folder });
  const port = await freePort();
  const flags = ["-D", data, "-p", String(port), "-k", folder, "-c", `listen_addresses=${HOST}`];
  const child = await startProgram([...asUser, join(bin, "postgres"), ...flags], folder);
  const { stdout: version } = await run(join(bin, "postgres"), ["--version"]);
  const setting = { server: `${version.trim()} on the same machine, over loopback, with its default settings` };
  return { port, pid: child.pid!, setting, close: async () => void child.kill("SIGINT") };
}

/** The processor time of the processes that a server has now. */
export function serverUs(pid: number): number {
  const read = (process: string, file: string) => readFileSync(`/proc/${process}/${file}`, "utf8");
  let sum = 0;
  for (const process of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const parent = read(process, "stat")
        .replace(/.*\) \w /s, "")
        .split(" ")[0];
      if (Number(parent) === pid) sum += Number(read(process, "schedstat").split(" ")[0]) / 1_000;
    } catch {
      // A process that has ended meanwhile.
    }
  }
  return sum;
}
