import { type ChildProcess, fork } from "node:child_process";
import { EventEmitter } from "node:events";
import { fileURLToPath } from "node:url";
import { type ClusterStoreOptions, clusterStore } from "tollgate/cluster";

const PROGRAM = fileURLToPath(new URL("primary.mjs", import.meta.url));

/** A primary and a channel to it in this process, with what is done to each message on its way to the other. */
export function connect(change: (message: object) => object = (message) => message) {
  const cluster = new EventEmitter().setMaxListeners(0);
  const channel = Object.assign(new EventEmitter().setMaxListeners(0), {
    send: (message: object) => cluster.emit("message", worker, change(message)),
  });
  const worker = { send: (message: object) => setImmediate(() => channel.emit("message", change(message))) };
  return { cluster, channel };
}

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
