/** Makes a store without WebAssembly, which worker.mjs has removed, and returns its handle. */
export function makeStore({ sharedStore, options }) {
  return sharedStore(options).handle;
}
