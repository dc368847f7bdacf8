import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";

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
    <bdi class={whole ? "whole" : ""} tabIndex={whole ? 0 : undefined}>
      {parts.map((part, i) => (i % 2 === 1 ? <span class="control">{visible(part)}</span> : part))}
      {shown.length < text.length && <small> … {count(text.length)} characters</small>}
    </bdi>
  );
}

const COUNT = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const RATE = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const COMPACT = new Intl.NumberFormat("en", { notation: "compact" });
const CLOCK = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });

export const count = (number: number): string => COUNT.format(number);
export const optional = (number: number | undefined, show = count): string =>
  number === undefined ? "" : show(number);
export const rate = (perSecond: number | null): string =>
  (Number(perSecond) < 1_000 ? RATE : COUNT).format(perSecond ?? 0);
export const bytes = (number: number): string => `${COMPACT.format(number)}B`;
/** `13:05:09` */
export const clock = (ms: number): string => CLOCK.format(ms);

export function milliseconds(ms: number | null): string {
  if (ms === null) return "–";
  return ms > 0 && ms < 1 ? `${RATE.format(ms * 1_000)} µs` : `${RATE.format(ms)} ms`;
}

/** `1 min 5 s`: the two largest units. */
export function duration(ms: number): string {
  if (ms < 1_000) return milliseconds(ms);
  const seconds = Math.ceil(ms / 1_000);
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3_600)];
  const parts: [number, string][] = [
    [Math.floor(hours / 24), "d"],
    [hours % 24, "h"],
    [minutes % 60, "min"],
    [seconds % 60, "s"],
  ];
  const texts = parts.filter(([number]) => number > 0).map(([number, unit]) => `${number} ${unit}`);
  return texts.slice(0, 2).join(" ");
}

/** The server's time, because the clock of the browser may be another one. */
export const Now = createContext(0);

/** A moment to come, by its distance. `null`: never. */
export function Until({ ms }: { readonly ms: number | null | undefined }) {
  const left = (ms ?? 0) - useContext(Now);
  if (ms === undefined) return "";
  if (ms === null) return "never";
  return <time title={new Date(ms).toISOString()}>{left > 0 ? `in ${duration(left)}` : "now"}</time>;
}

/** A problem, said at once by screen readers. */
export function Notice({ children }: { readonly children: ComponentChildren }) {
  return (
    <p class="notice" role="alert">
      {children}
    </p>
  );
}

export const namesOf = <Name extends string>(of: Readonly<Record<Name, unknown>>) => Object.keys(of) as Name[];

/** Buttons of which one is pressed. */
export function Choice<Name extends string>(props: {
  readonly names: readonly Name[];
  readonly chosen: Name;
  readonly choose: (name: Name) => void;
}) {
  return (
    <p class="actions">
      {props.names.map((name) => (
        <button key={name} type="button" aria-pressed={name === props.chosen} onClick={() => props.choose(name)}>
          {name}
        </button>
      ))}
    </p>
  );
}

export type Columns<Row> = Readonly<Record<string, (row: Row) => ComponentChildren>>;

/** A table that scrolls by itself where it is too wide. The first column names the row. */
export function Table<Row>(props: {
  readonly caption: string;
  readonly columns: Columns<Row>;
  readonly rows: readonly Row[];
  readonly id: (row: Row, i: number) => string;
  /** What it says without rows. */
  readonly empty: string;
  /** What it says in any case. */
  readonly children?: ComponentChildren;
}) {
  const { caption, columns, rows, id, empty, children } = props;
  const names = Object.keys(columns);
  const [name, ...cells] = Object.values(columns);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard.
    <section class="scroll" tabIndex={0} aria-label={caption}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {names.map((column) => (
              <th scope="col">{column}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={id(row, i)}>
              <th scope="row">{name?.(row)}</th>
              {cells.map((cell) => (
                <td>{cell(row)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <small>
        {rows.length === 0 && empty} {children}
      </small>
    </section>
  );
}
