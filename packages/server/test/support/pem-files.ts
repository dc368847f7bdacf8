import { execFile } from "node:child_process";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";

const run = promisify(execFile);

/** An authority, and certificates that it signs, made with openssl in a folder that goes when the test is over. */
export class PemFiles {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async make(): Promise<PemFiles> {
    const folder = await mkdtemp(join(tmpdir(), "tollgate-pem-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const files = new PemFiles(folder);
    await files.#openssl("req", "-x509", ...NEW_KEY, "-subj", "/CN=authority", "-keyout", "ca.key", "-out", "ca.pem");
    return files;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Makes `NAME.pem` and `NAME.key`. */
  async sign(name: string): Promise<void> {
    await writeFile(this.path("names"), "subjectAltName=IP:127.0.0.1");
    await this.#openssl("req", ...NEW_KEY, "-subj", `/CN=${name}`, "-keyout", `${name}.key`, "-out", `${name}.csr`);
    const by = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "names"];
    await this.#openssl("x509", "-req", "-in", `${name}.csr`, ...by, "-out", `${name}.pem`);
  }

  /** Puts a file in the place of another, as tools for certificates do. */
  async replace(name: string, by: string): Promise<void> {
    await rename(this.path(by), this.path(name));
  }

  async #openssl(...args: readonly string[]): Promise<void> {
    await run("openssl", args, { cwd: this.folder });
  }
}

const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
