import assert from "node:assert/strict";
import { createServer } from "node:http";
import { createLimiter, perMinute } from "tollgate";
import { dashboard } from "tollgate/dashboard";

const limiter = createLimiter({ name: "api", limits: [perMinute(1)] });
const board = dashboard([limiter]);
const server = createServer((request, response) => void board.node(request, response));
server.listen(0, "127.0.0.1", () => void check());

async function check() {
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const page = await fetch(`http://127.0.0.1:${port}/`);
  assert.match(await page.text(), /page\.js/);
  const script = await board.fetch(new Request(`http://127.0.0.1:${port}/page.js`));
  assert.ok((await script.text()).length > 10_000);
  board.close();
  server.close();
}
