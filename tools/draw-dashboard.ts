import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { dashboard } from "../test/observability/dashboard.ts";
import { observe } from "../test/observability/observed.ts";
import { drawDashboard } from "../test/observability/picture.ts";

// Draws docs/observability/dashboard.svg: starts the service and an application under load, has Prometheus scrape them
// for a minute in which things go wrong, and draws each panel of the dashboard from what it has.

const FILE = join(import.meta.dirname, "../docs/observability/dashboard.svg");
const SECONDS = 60;

const observed = await observe(1_000);
try {
  // Rates need some scrapes.
  await setTimeout(8_000);
  const fromS = Math.ceil(Date.now() / 1_000);
  const { fleet, prometheus } = observed;
  const at = async (second: number): Promise<void> => {
    await setTimeout(Math.max(0, (fromS + second) * 1_000 - Date.now()));
    console.log(`${second} of ${SECONDS} s`);
  };
  await at(12);
  fleet.attack(true);
  observed.flood(true);
  await at(25);
  fleet.attack(false);
  observed.flood(false);
  await at(30);
  fleet.freezeRedis(true);
  await at(42);
  fleet.freezeRedis(false);
  fleet.crowd(true);
  await at(52);
  fleet.crowd(false);
  await at(SECONDS);
  const span = { fromS, toS: fromS + SECONDS, stepS: 1 };
  writeFileSync(FILE, await drawDashboard(dashboard.panels, prometheus, span, "4s"));
} finally {
  await observed.stop();
}
