import { deserialize, serialize } from "node:v8";
import { memoryStore } from "tollgate";
import { clusterStore, serveWorkers } from "tollgate/cluster";
import { tableStore } from "tollgate/table";
import { storeContract } from "tollgate/testing";
import { afterAll, describe, it } from "vitest";
import { connect, PrimaryProcess } from "./primary-process.ts";

/** Thousands of calls one after another: over a channel of processes they would mostly wait for a busy machine. */
const LONG = /random|more than a thousand|a handle decides|count of its own/;

describe.each([
  { messages: "json", kind: "memory", options: { maxKeys: 20_000 } },
  { messages: "advanced", kind: "table", options: { maxKeys: 2_000 } },
] as const)("the store contract holds with $messages messages, for a $kind store of the primary", (given) => {
  const { messages, kind, options } = given;
  const primary = new PrimaryProcess(messages);
  afterAll(() => primary.end());
  const overChannel = async () => primary.store(await primary.serve(kind, options));

  it.each(storeContract({ createStore: overChannel }).filter(({ name }) => !LONG.test(name)))("$name", ({ run }) =>
    run(),
  );

  const copy = (message: object) =>
    messages === "json" ? JSON.parse(JSON.stringify(message)) : deserialize(serialize(message));
  const inProcess = () => {
    const { cluster, channel } = connect(copy);
    serveWorkers({ cluster, store: kind === "memory" ? memoryStore(options) : tableStore(options) });
    return clusterStore({ timeout: "10s", channel });
  };

  it.each(storeContract({ createStore: inProcess }).filter(({ name }) => LONG.test(name)))(
    "$name, in one process",
    ({ run }) => run(),
  );
});
