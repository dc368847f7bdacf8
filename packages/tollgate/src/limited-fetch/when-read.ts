/**
 * The same response. `end` is called when its body has been read, cancelled, or broken off: at once if the response
 * cannot be made anew, because its status is above 599.
 */
export function whenRead(response: Response, end: () => void): Response {
  if (response.body === null) {
    end();
    return response;
  }
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  reader.closed.then(end, end);
  const body = new ReadableStream({
    type: "bytes",
    async pull(controller) {
      const { done, value } = await reader.read();
      if (value !== undefined && value.byteLength > 0) controller.enqueue(value);
      if (!done) return;
      controller.close();
      // A reader with a buffer of its own gets it back.
      controller.byobRequest?.respond(0);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  const { url, redirected, type } = response;
  try {
    return Object.defineProperties(new Response(body, response), {
      url: { value: url },
      redirected: { value: redirected },
      type: { value: type },
    });
  } catch {
    // This ends the reader's `closed`, too.
    reader.releaseLock();
    return response;
  }
}
