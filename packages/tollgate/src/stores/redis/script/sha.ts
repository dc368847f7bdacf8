/** The SHA-1 of the script, by which servers know it: computing it would take a library, so a test compares it. */
export const SCRIPT_SHA = "c4c8936358b9eff5eef547e051d6e8637338ef38";
