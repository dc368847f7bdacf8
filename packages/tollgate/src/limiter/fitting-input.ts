type Primitive = string | number | bigint | boolean | symbol | null | undefined;
type IsNever<T> = [T] extends [never] ? true : false;

/** Whether no value has the type: nothing is text and an object at once, nor has a property of two unlike types. */
type IsImpossible<T> =
  IsNever<T> extends true
    ? true
    : T extends Primitive
      ? T extends object
        ? true
        : false
      : true extends { [Key in keyof T]: IsNever<T[Key]> }[keyof T]
        ? true
        : false;

/** Not `unknown` if the limiters have no input in common: combining them does not compile, and the error says why. */
export type Fitting<CommonInput> =
  IsImpossible<CommonInput> extends true ? readonly "limiters whose inputs fit together"[] : unknown;
