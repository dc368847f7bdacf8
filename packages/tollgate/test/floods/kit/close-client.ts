/** Closes a client of any library at once; those without connections have nothing to close. */
export async function closeClient(client: object): Promise<void> {
  const { disconnect, destroy, close } = client as Partial<Record<"disconnect" | "destroy" | "close", () => unknown>>;
  await (destroy ?? disconnect ?? close)?.call(client);
}
