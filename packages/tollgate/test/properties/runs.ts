/** How often a property is tried. The deep tier (`TOLLGATE_DEEP=1`) tries five times as many cases. */
export function runs(quick: number): number {
  return process.env["TOLLGATE_DEEP"] === "1" ? 5 * quick : quick;
}
