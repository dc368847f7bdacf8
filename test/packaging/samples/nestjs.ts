import assert from "node:assert/strict";
import { throttlerStorage } from "tollgate/nestjs";

async function main() {
  const storage = throttlerStorage();
  const hit = () => storage.increment("ann", 60_000, 1, 60_000, "default");
  assert.equal((await hit()).isBlocked, false);
  assert.equal((await hit()).isBlocked, true);
}

void main();
