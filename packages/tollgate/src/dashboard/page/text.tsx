import { type ComponentChildren, createContext } from "preact";
import { useContext, useRef } from "preact/hooks";

/** Control characters, those that change the direction of text, and those without a width. */
const INVISIBLE = /([\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{VS}])/u;
const MOST_CHARACTERS = 48;

/** A space is shown as itself within a text, and visibly if it is all that there is, or stands at an end. */
const EDGE = /^\s+|\s+$/g;

/** `^[` for an escape, as terminals write it, and `U+202E` for what has no such name. */
function visible(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20 || code === 0x7f) return `^${String.fromCodePoint(code ^ 0x40)}`;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** What a client sent, as text: never markup, in its own direction, and with its control characters visible. */
export function Text(props: { readonly text: string; readonly whole?: boolean; readonly none?: string }) {
  const { text, whole = false, none = "empty" } = props;
  if (text === "") return <em>{none}</em>;
  const shown = whole || text.length <= MOST_CHARACTERS ? text : text.slice(0, MOST_CHARACTERS).toWellFormed();
  const parts = shown.replace(EDGE, (spaces) => spaces.replaceAll(" ", "\u2423")).split(INVISIBLE);
  return (
    // A long key scrolls, and has to be reached by keyboard.
    <bdi class={whole ? "key whole" : "key"} tabIndex={whole ? 0 : undefined}>
      {parts.map((part, i) => (i % 2 === 1 ? <span class="control">{visible(part)}</span> : part))}
      {shown.length < text.length && <small> … {count(text.length)} characters</small>}
    </bdi>
  );
}

const COUNT = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const RATE = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

export const count = (number: number): string => COUNT.format(number);
export const rate = (perSecond: number): string => (perSecond < 1_000 ? RATE : COUNT).format(perSecond);

export const percent = (part: number): string => `${COUNT.format(100 * part)} %`;
export function milliseconds(ms: number | null): string {
  if (ms === null) return "–";
  return ms > 0 && ms < 1 ? `${RATE.format(ms * 1_000)} µs` : `${RATE.format(ms)} ms`;
}

export function bytes(number: number): string {
  const power = Math.min(4, Math.floor(Math.log10(Math.max(1, number)) / 3));
  return `${RATE.format(number / 1_000 ** power)} ${["B", "kB", "MB", "GB", "TB"][power]}`;
}

const UNITS = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
  [1, "s"],
] as const;

/** `1 min 5 s`: the two largest units. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${RATE.format(ms)} ms`;
  const seconds = Math.ceil(ms / 1_000);
  const parts = UNITS.map(([size, unit], i) => ({
    unit,
    number: Math.floor((seconds % (UNITS[i - 1]?.[0] ?? Number.POSITIVE_INFINITY)) / size),
  }));
  const first = parts.findIndex(({ number }) => number > 0);
  const shown = parts.slice(first, first + 2).filter(({ number }) => number > 0);
  return shown.map(({ number, unit }) => `${number} ${unit}`).join(" ");
}

const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** `13:05:09` */
export const clock = (ms: number): string => CLOCK.format(ms);
const isoTime = (ms: number): string => new Date(ms).toISOString();

export function Time({ ms }: { readonly ms: number }) {
  return <time title={isoTime(ms)}>{clock(ms)}</time>;
}

/** The server's time, because the clock of the browser may be another one. */
export const Now = createContext(0);

/** A moment to come, by its distance. */
export function Until({ ms }: { readonly ms: number | null | undefined }) {
  const left = (ms ?? 0) - useContext(Now);
  if (ms === undefined) return "";
  if (ms === null) return "never";
  return <time title={isoTime(ms)}>{left > 0 ? `in ${duration(left)}` : "now"}</time>;
}

/** What the operator has to know first. */
export function Notice({ children }: { readonly children: ComponentChildren }) {
  return (
    <p class="notice" role="alert">
      {children}
    </p>
  );
}

interface Row {
  readonly id: string;
  readonly cells: readonly ComponentChildren[];
}

/**
 * A table that scrolls by itself where it is too wide. The first column names the row. While the pointer or the focus is
 * on the table its rows stay where they are: what moves cannot be clicked.
 */
export function Table(props: {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  /** What it says without rows. */
  readonly empty: string;
}) {
  const { caption, columns, rows: latest, empty } = props;
  const box = useRef<HTMLElement>(null);
  const shown = useRef(latest);
  const isHeld = box.current?.matches(":hover, :focus-within") === true;
  const byId = new Map(latest.map((row) => [row.id, row]));
  const rows = isHeld ? shown.current.map((row) => byId.get(row.id) ?? row) : latest;
  shown.current = rows;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard.
    <section class="scroll" tabIndex={0} aria-label={caption} ref={box}>
      <table>
        <caption class={rows.some(({ id }, i) => id !== latest[i]?.id) ? "held" : ""}>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col">{column}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, cells: [name, ...cells] }) => (
            <tr key={id}>
              <th scope="row">{name}</th>
              {cells.map((cell) => (
                <td>{cell}</td>
              ))}
            </tr>
          ))}
          {rows.length === 0 && (
            <tr>
              <td class="quiet" colSpan={columns.length}>
                {empty}
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </section>
  );
}
