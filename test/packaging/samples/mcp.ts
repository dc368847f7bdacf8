import assert from "node:assert/strict";
import { createLimiter, perMinute } from "tollgate";
import { limitTools } from "tollgate/mcp";

async function main() {
  const limiter = createLimiter({ limits: [perMinute(1)] });
  // In place of an `McpServer`, which hands the handler of its tools to `setRequestHandler`.
  const idle = async () => ({ isError: false });
  const handlers = [idle];
  const server = {
    setRequestHandler: (_method = "", handler = idle) => handlers.push(handler),
    assertCanSetRequestHandler: () => undefined,
  };
  limitTools({ server }, { limiter, input: ({ tool }) => tool });
  server.setRequestHandler("tools/call", idle);

  const call = async () => Reflect.apply(handlers[1] ?? idle, undefined, [{ params: { name: "search" } }, {}]);
  assert.equal((await call()).isError, false);
  assert.equal((await call()).isError, true);
}

void main();
