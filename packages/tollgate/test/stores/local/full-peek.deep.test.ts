import { testFullPeek } from "./full-peek.ts";

testFullPeek(150);
