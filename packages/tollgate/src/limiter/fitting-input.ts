import type { Key } from "../core/key.ts";

/** A key for one limiter and an object for another cannot be one input, although a tuple may have properties. */
type Excludes<One, Other> = [One] extends [Key]
  ? [Other] extends [Key]
    ? false
    : [One] extends [Other]
      ? false
      : true
  : false;

type AnyExcludes<Inputs extends readonly unknown[]> = true extends {
  [One in keyof Inputs]: { [Other in keyof Inputs]: Excludes<Inputs[One], Inputs[Other]> }[number];
}[number]
  ? true
  : false;

type IsNever<T> = [T] extends [never] ? true : false;

/** Whether no value has the type, or one of its properties would need two unlike types. */
type IsImpossible<T> =
  IsNever<T> extends true
    ? true
    : T extends unknown
      ? true extends { [Name in keyof T]: IsNever<T[Name]> }[keyof T]
        ? true
        : false
      : never;

/** Not `unknown` if no input suits all of the limiters: combining them does not compile, and the error says why. */
export type Fitting<Inputs extends readonly unknown[], Common> = true extends
  | AnyExcludes<Inputs>
  | ([IsImpossible<Common>] extends [true] ? true : false)
  ? readonly "combine takes limiters with one kind of input"[]
  : unknown;
