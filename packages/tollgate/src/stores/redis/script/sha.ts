/** The SHA-1 of the script, by which servers know it: computing it would take a library, so a test compares it. */
export const SCRIPT_SHA = "c60b0a238be28754ca688bd89f045bc7cd400411";
