import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import type { LimitsInput } from "../inputs/input.ts";
import { textsOf } from "../inputs/limits-texts.ts";
import type { ServiceName } from "../inputs/service-kinds.ts";

/** The limits file of a service, which is changed while it runs. */
export class WatchedFile {
  readonly path: string;
  readonly #valid: string;
  #changes = 0;
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(path: string, valid: string) {
    this.path = path;
    this.#valid = valid;
  }

  static async create(folder: string, service: ServiceName): Promise<WatchedFile> {
    await mkdir(folder, { recursive: true });
    const file = new WatchedFile(`${folder}/limits.yaml`, textsOf(service)[0]);
    await writeFile(file.path, file.#valid);
    return file;
  }

  /** Changes the file, and waits until the service has read it. One change at a time. */
  change(text: Buffer, by: LimitsInput["by"], wasRead: () => Promise<unknown>): Promise<void> {
    const turn = this.#changeAfter(this.#turn, text, by, wasRead);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async #changeAfter(
    before: Promise<unknown>,
    text: Buffer,
    by: LimitsInput["by"],
    wasRead: () => Promise<unknown>,
  ): Promise<void> {
    await before;
    this.#changes += 1;
    // The service does not report a text that is in force already.
    const unique = Buffer.concat([text, Buffer.from(`\n# ${this.#changes}\n`)]);
    const read = wasRead();
    await this.#write(unique, by);
    await read;
  }

  /** The text of the beginning. */
  restore(wasRead: () => Promise<unknown>): Promise<void> {
    return this.change(Buffer.from(this.#valid), "rename", wasRead);
  }

  async #write(text: Buffer, by: LimitsInput["by"]): Promise<void> {
    switch (by) {
      case "write":
        return writeFile(this.path, text);
      case "two writes":
        await writeFile(this.path, text.subarray(0, text.length / 2));
        return writeFile(this.path, text);
      case "removal":
        await rm(this.path);
        return writeFile(this.path, text);
      case "rename":
        await writeFile(`${this.path}.new`, text);
        return rename(`${this.path}.new`, this.path);
      default:
        return by satisfies never;
    }
  }
}
