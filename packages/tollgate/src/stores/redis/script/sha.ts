/** The SHA-1 of the script, by which servers know it: computing it would take a library, so a test compares it. */
export const SCRIPT_SHA = "afe7afce6032c1b6f391f521bce77602d9f60c63";
