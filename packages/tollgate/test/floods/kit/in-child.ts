/** What the process was started with. From then on it ends with the one that started it. */
export function ordersOfChild<Orders>(): Orders {
  process.once("disconnect", () => process.exit());
  return JSON.parse(process.argv[2]!) as Orders;
}

/** Tells the process that started this one. */
export function tellParent(message: object): void {
  process.send?.(message);
}
