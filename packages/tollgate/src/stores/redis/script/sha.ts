/** The SHA-1 of the script, by which servers know it: computing it would take a library, so a test compares it. */
export const SCRIPT_SHA = "2b3ca324773277bcfec9f4655a399e9f8f249117";
