import { itAgreesWithMemory } from "./kit/play-traces.ts";

itAgreesWithMemory(1);
