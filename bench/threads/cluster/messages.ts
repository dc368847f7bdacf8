/** What the primary process asks for. */
export type Order =
  | { readonly order: "decide"; readonly untilMs: number }
  | { readonly order: "tell what was consumed" };

/** What the others say. */
export type Said =
  | { readonly said: "ready" }
  | { readonly said: "decided"; readonly calls: number; readonly admitted: number; readonly endMs: number }
  | { readonly said: "consumed"; readonly points: number };
