/** The SHA-1 of the script, by which servers know it: computing it would take a library, so a test compares it. */
export const SCRIPT_SHA = "dd2d822390fef389ac9feb10a8a2e846891b2793";
