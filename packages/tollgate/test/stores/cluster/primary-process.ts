import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type ClusterStoreOptions, clusterStore } from "tollgate/cluster";

const PROGRAM = fileURLToPath(new URL("primary.mjs", import.meta.url));

type StoreKind = "memory" | "table";

/** A process that is the primary of this one: the messages go through a real channel. */
export class PrimaryProcess {
  readonly child: ChildProcess;
  #names = 0;

  constructor(serialization: "json" | "advanced" = "json") {
    this.child = fork(PROGRAM, { serialization });
    // Each store listens.
    this.child.setMaxListeners(0);
  }

  /** Serves another store, and returns its name. */
  async serve(store: StoreKind = "memory", options: object = {}): Promise<string> {
    this.#names += 1;
    const name = `store ${this.#names}`;
    await this.serveAs(name, store, options);
    return name;
  }

  serveAs(name: string, store: StoreKind = "memory", options: object = {}): Promise<void> {
    return this.#command({ command: "serve", name, store, options });
  }

  stop(name: string): Promise<void> {
    return this.#command({ command: "stop", name });
  }

  store(name: string, options: ClusterStoreOptions = {}) {
    return clusterStore({ timeout: "10s", channel: this.child, ...options, name });
  }

  end(): void {
    this.child.kill("SIGKILL");
  }

  #command(command: { readonly name: string; readonly [option: string]: unknown }): Promise<void> {
    return new Promise((resolve) => {
      const listener = (message: unknown): void => {
        if ((message as { readonly done?: unknown }).done !== command.name) return;
        this.child.off("message", listener);
        resolve();
      };
      this.child.on("message", listener);
      this.child.send(command);
    });
  }
}
