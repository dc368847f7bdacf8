import { type Clock, systemClock } from "tollgate";

export function openClock(): Clock {
  return systemClock;
}
