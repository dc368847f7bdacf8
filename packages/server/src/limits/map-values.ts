/** The same names with other values. */
export function mapValues<Value, Other>(
  values: { readonly [name: string]: Value },
  change: (value: Value, name: string) => Other,
): { readonly [name: string]: Other } {
  const changed = Object.entries(values).map(([name, value]): [string, Other] => [name, change(value, name)]);
  return Object.fromEntries(changed);
}
