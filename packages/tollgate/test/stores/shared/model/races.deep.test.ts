import { checkEveryRace, checkRandomRaces } from "./check-races.ts";
import { RACES } from "./races.ts";

checkEveryRace(RACES);
checkRandomRaces(15, 60);
