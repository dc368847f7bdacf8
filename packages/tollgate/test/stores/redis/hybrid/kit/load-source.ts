import { fileURLToPath, pathToFileURL } from "node:url";

const source = process.env["TOLLGATE_SRC"] ?? fileURLToPath(new URL("../../../../../src", import.meta.url));

/** Loads a module of the library's source in a process of its own, where public names are those of the built one. */
export async function load<Module>(path: string): Promise<Module> {
  return (await import(String(pathToFileURL(`${source}/${path}`)))) as Module;
}
