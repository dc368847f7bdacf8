import { fork } from "node:child_process";
import { once } from "node:events";
import { CHILD, STEADY_HEAP } from "../harness/child-process.ts";
import { type Framework, HOST, serve } from "./servers/framework.ts";
import { VARIANTS } from "./variants.ts";

export type ServerOrder = { readonly id: string; readonly limit: number };

type Reply = { readonly port: number; readonly cpuUs: number };

/** Serves in this process. Sends its port and its processor time at the start, and whenever it is asked. */
export async function serveVariant({ id, limit }: ServerOrder): Promise<void> {
  const variant = VARIANTS.find((one) => one.id === id);
  if (variant === undefined) throw new Error(`expected the id of a variant, got ${id}`);
  const { FRAMEWORK } = (await import(`./servers/${variant.framework.replace(":http", "")}.js`)) as {
    readonly FRAMEWORK: Framework<unknown>;
  };
  const port = await serve(FRAMEWORK, variant.front, limit);
  const reply = () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ port, cpuUs: user + system } satisfies Reply);
  };
  process.on("message", reply);
  process.on("disconnect", () => process.exit());
  reply();
}

/** Starts a server in its own process. `cpuUs` is the processor time of all its threads until now. */
export async function startServer(order: ServerOrder) {
  const child = fork(CHILD, ["server", JSON.stringify(order)], {
    env: { ...process.env, NODE_ENV: "production" },
    execArgv: [STEADY_HEAP],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let stderr = "";
  child.stderr?.on("data", (text: Buffer) => {
    stderr += text.toString();
  });
  const nextReply = () =>
    new Promise<Reply>((resolve, reject) => {
      const onClose = () => reject(Object.assign(new Error("the server ended"), { stderr }));
      child.once("close", onClose);
      child.once("message", (reply: Reply) => {
        child.off("close", onClose);
        resolve(reply);
      });
    });
  const { port } = await nextReply();
  return {
    url: `http://${HOST}:${port}/`,
    async cpuUs() {
      const reply = nextReply();
      child.send("cpu");
      return (await reply).cpuUs;
    },
    async stop() {
      const ended = once(child, "exit");
      if (child.kill("SIGKILL")) await ended;
    },
  };
}
