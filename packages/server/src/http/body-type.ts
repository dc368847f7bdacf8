import type { IncomingMessage } from "node:http";

const UTF_8 = /^charset="?utf-?8"?$/;

/** The type of a body without its parameters, in lower case; `undefined` if it says that it is not in UTF-8. */
export function bodyTypeOf(request: IncomingMessage): string | undefined {
  const [type = "", ...parameters] = (request.headers["content-type"] ?? "")
    .split(";")
    .map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith("charset="));
  return charset === undefined || UTF_8.test(charset) ? type : undefined;
}
