import { type HeaderList, writeHeaders } from "../../http/header-list.ts";

/**
 * The response with those of the fields that it has not got: its own stand. It is the same response, but where its headers do
 * not change, as those of `Response.redirect` and of `fetch`.
 */
export function withFields(response: Response, fields: HeaderList): Response {
  // The signs for a web socket and for an error of the network: runtimes do not let others be made.
  if (response.status < 200) return response;
  try {
    addMissing(response.headers, fields);
    return response;
  } catch {
    const copy = new Response(response.body, response);
    addMissing(copy.headers, fields);
    return copy;
  }
}

function addMissing(headers: Headers, fields: HeaderList): void {
  writeHeaders(fields, {
    set: (name, value) => {
      if (!headers.has(name)) headers.set(name, value);
    },
    append: (name, value) => {
      if (headers.get(name)?.includes(value) !== true) headers.append(name, value);
    },
  });
}
