/**
 * A value that all copies of the library in this realm share, by its name. A program can load the copy for `import` and
 * the one for `require`. `make` is called once.
 */
export function realmWide<T>(name: string, make: () => T): T {
  const symbol = Symbol.for(`tollgate.${name}`);
  const realm = globalThis as { [symbol]?: T };
  const known = realm[symbol];
  if (known !== undefined) return known;
  const made = make();
  // Not enumerable: programs may list their globals.
  Object.defineProperty(realm, symbol, { value: made });
  return made;
}
