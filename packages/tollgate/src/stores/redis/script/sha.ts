/** The SHA-1 of the script, by which servers know it: computing it would take a library, so a test compares it. */
export const SCRIPT_SHA = "1b40d5f9332b348389905ddd767de742e87fd179";
