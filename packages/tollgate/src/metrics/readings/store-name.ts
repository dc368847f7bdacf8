import { checkName } from "../../core/checks.ts";

/** @throws TollgateError `ERR_NAME` for a label that is no name. */
export function checkStoreName(storeName: string | undefined): string | undefined {
  return storeName === undefined ? undefined : checkName("storeName", storeName);
}
