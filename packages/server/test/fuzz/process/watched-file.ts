import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import type { LimitsInput } from "../inputs/input.ts";
import { TEXTS } from "../inputs/limits-texts.ts";

/** The limits file of a service, which is changed while it runs. */
export class WatchedFile {
  readonly path: string;
  readonly #valid: string;
  #text: Buffer;
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(path: string, valid: string) {
    this.path = path;
    this.#valid = valid;
    this.#text = Buffer.from(valid);
  }

  static async create(folder: string, service: "limits" | "envoy"): Promise<WatchedFile> {
    await mkdir(folder, { recursive: true });
    const file = new WatchedFile(`${folder}/limits.yaml`, TEXTS[service][0]);
    await writeFile(file.path, file.#valid);
    return file;
  }

  /** Changes the file, and waits until the service has read it. One change at a time. */
  change(text: Buffer, by: LimitsInput["by"], wasRead: () => Promise<unknown>): Promise<void> {
    const turn = this.#turn.then(async () => {
      // The service does not report a text that is in force already.
      if (text.equals(this.#text)) return;
      this.#text = text;
      const read = wasRead();
      await this.#write(text, by);
      await read;
    });
    this.#turn = turn.catch(() => {});
    return turn;
  }

  /** The text of the beginning, with a difference to the one in force. */
  restore(wasRead: () => Promise<unknown>): Promise<void> {
    return this.change(Buffer.from(`${this.#valid}\n`), "rename", wasRead);
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
