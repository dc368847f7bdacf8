import { checkOptions, checkWholeNumber, type OptionNames, optionError } from "../../core/check-options.ts";
import { checkFunction, checkName } from "../../core/checks.ts";
import { show, TollgateError } from "../../core/errors.ts";
import { decodeKey, type Key } from "../../core/key.ts";
import { isMadeHere } from "../../limiter/limiter-mark.ts";
import { type ObservedParts, observedParts } from "../../limiter/observed-parts.ts";
import type { HotKeys } from "../hot-keys/hot-keys.ts";
import { CappedLabels } from "./capped-labels.ts";
import { type AnyLimiter, LimiterReadings, type ShownKey } from "./limiter-readings.ts";
import { type AnyStore, addStore } from "./measured-store.ts";
import type { Output } from "./output.ts";

/** What is measured, whatever the output. */
export interface MeasuringOptions {
  /**
   * Adds a label `key` to the counter of calls: what this function returns of a key. It is meant to return few values;
   * beyond `maxKeyLabels` they become `"other"`.
   */
  readonly keyLabel?: ((key: string) => string) | undefined;
  /** How many values the label `key` has at most, `"other"` apart: 1 to 10,000, 100 by default. */
  readonly maxKeyLabels?: number | undefined;
  /**
   * The keys whose units left are shown, asked at each scrape: a function that returns them, or the result of `hotKeys`
   * without `mask`, of which the most denied keys are shown.
   */
  readonly tokensOf?: (() => readonly Key[]) | HotKeys | undefined;
  /**
   * 1 in so many calls is timed, chosen at random: 1 to 10,000, 128 by default. Over an asynchronous store all are.
   */
  readonly sample?: number | undefined;
  /** The label `store`: by default the kind of the store, such as `"memory"`. Stores of one name are added up. */
  readonly storeName?: string | undefined;
}

const NAMES: Readonly<Record<keyof MeasuringOptions, true>> = {
  keyLabel: true,
  maxKeyLabels: true,
  tokensOf: true,
  sample: true,
  storeName: true,
};
const MOST_LABELS = 10_000;
const DEFAULT_LABELS = 100;
const MOST_SAMPLE = 10_000;
const DEFAULT_SAMPLE = 128;

/** Whether the value is a limiter. @throws TollgateError `ERR_OPTION` unless it is a limiter or a store. */
function isLimiter(subject: AnyLimiter | AnyStore): subject is AnyLimiter {
  if (isMadeHere(subject)) return true;
  if (typeof (subject as Partial<AnyStore> | undefined)?.open === "function") return false;
  throw optionError("instrument", "a limiter or a store", subject);
}

/**
 * Refuses unknown options: `others` are those of the output. A store has its name alone.
 *
 * @throws TollgateError `ERR_OPTION`.
 */
export function checkMeasuringNames(subject: AnyLimiter | AnyStore, options: unknown, others: OptionNames): void {
  const known = isLimiter(subject) ? NAMES : { storeName: true as const };
  checkOptions("instrument", options, { ...known, ...others });
}

/**
 * Measures a limiter and its store, or a store alone, for an output. Returns a function that ends it.
 *
 * @throws TollgateError `ERR_OPTION` or `ERR_NAME`.
 */
export function measure(subject: AnyLimiter | AnyStore, options: MeasuringOptions, output: Output): () => void {
  const storeName = options.storeName === undefined ? undefined : checkName("storeName", options.storeName);
  if (!isLimiter(subject)) return addStore(output, subject, storeName);
  const { keyLabel } = options;
  if (keyLabel !== undefined) checkFunction("keyLabel", keyLabel, "a function from a key to a label");
  const tokensOf = checkTokensOf(options.tokensOf);
  const most = checkWholeNumber("maxKeyLabels", options.maxKeyLabels ?? DEFAULT_LABELS, 1, MOST_LABELS);
  const sample = checkWholeNumber("sample", options.sample ?? DEFAULT_SAMPLE, 1, MOST_SAMPLE);
  const parts = observedParts("instrument", subject);
  checkNamed(parts);
  const labels = keyLabel && new CappedLabels(keyLabel, most);
  const measured = new LimiterReadings(subject, parts, { labels, tokensOf, sample }, output);
  const removals = [
    ...measured.removals,
    ...parts.sources.map(({ opened }) => addStore(output, opened, storeName)),
    parts.watch.addWatcher(measured),
  ];
  return () => {
    for (const remove of removals) remove();
  };
}

/** @throws TollgateError `ERR_NAME` for limiters without names: their series would be added up. */
function checkNamed({ sources, name }: ObservedParts): void {
  if (sources.every(({ scope }) => typeof scope === "string")) return;
  throw new TollgateError(
    "ERR_NAME",
    `instrument: expected limiters with names, by which series are told apart, got ${show(name)}, which has none; ` +
      'write createLimiter({ name: "…" })',
  );
}

function checkTokensOf(tokensOf: MeasuringOptions["tokensOf"]): (() => readonly ShownKey[]) | undefined {
  if (typeof tokensOf === "object" && typeof tokensOf?.denied === "function")
    return () => tokensOf.denied().flatMap(({ key: text, limiter }) => shownKey(text, limiter));
  if (tokensOf === undefined) return undefined;
  checkFunction("tokensOf", tokensOf, "a function that returns keys, or hotKeys(…)");
  return () => (tokensOf as () => readonly Key[])().map((key) => ({ key }));
}

/** The key of a text of `hotKeys`. The rule of a domain reads the text by itself. */
function shownKey(text: string, limiter: string | undefined): readonly ShownKey[] {
  if (limiter !== undefined) return [{ key: text, limiter }];
  const key = decodeKey(text);
  return key === undefined ? [] : [{ key }];
}
