import { expectAdmitted } from "../../measure/expect-admitted.ts";
import { type Contender, decide } from "../contenders/contender.ts";
import { connect } from "../server/connect.ts";
import type { Variant } from "../variant.ts";
import { UNITS } from "../workload.ts";

const LIMIT = 5;
const TOO_MANY = 12;
const USER_KEY = "user-0123456789a";

/**
 * Whoever limits is to be seen limiting. Then it counts one key on an empty server, and says how many bytes that takes there.
 *
 * @throws Error when it decided wrongly.
 */
export async function checkVariant(variant: Variant, port: number): Promise<number> {
  const client = connect(port, variant.client);
  const create = await variant.load();
  await client.flushall("SYNC");
  await checkLimit(await create({ client, limit: LIMIT }), LIMIT);

  await client.flushall("SYNC");
  const contender = await create({ client, limit: UNITS["distinct keys"] });
  expectAdmitted(await admittedOf(contender, USER_KEY, 1), 1);
  const names = await client.keys("*");
  const sizes = await Promise.all(names.map((name) => client.memory("USAGE", name)));
  client.disconnect();
  return sizes.reduce<number>((sum, size) => sum + Number(size), 0);
}

/** A limit of so many units admits so many calls, for each key, of those made at once and of those made later. */
export async function checkLimit(contender: Contender, limit: number): Promise<void> {
  expectAdmitted(await admittedOf(contender, "ann", TOO_MANY), limit);
  expectAdmitted(await admittedOf(contender, "ann", 1), 0);
  expectAdmitted(await admittedOf(contender, "bob", 1), 1);
}

async function admittedOf(contender: Contender, key: string, calls: number): Promise<number> {
  const answers = await Promise.all(Array.from({ length: calls }, () => decide(contender, key)));
  return answers.filter(Boolean).length;
}
