/** A store without WebAssembly, where worker.mjs took that away. */
export function run({ sharedStore, options }) {
  return sharedStore(options).handle;
}
