import { type Limit, perDay, perMinute, slidingWindow } from "tollgate";

export const calls = (limit: number) => perMinute(limit, { name: "calls" });
const daily = (limit: number) => perDay(limit, { name: "daily" });

/** Lists of limits that one name may have in turn: other numbers, one limit more or less, another algorithm. */
export const LISTS: readonly (readonly Limit[])[] = [
  [calls(3)],
  [calls(5)],
  [calls(4), daily(30)],
  [daily(20)],
  [slidingWindow({ name: "calls", limit: 4, window: "1m" })],
];
