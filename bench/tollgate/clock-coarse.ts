import { type Clock, coarseClock } from "tollgate";

export function openClock(): Clock {
  return coarseClock();
}
