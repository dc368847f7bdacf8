/** The SHA-1 of the script, by which servers know it: computing it would take a library, so a test compares it. */
export const SCRIPT_SHA = "ec2de146d8e410974009f631f691204f16d3f85a";
