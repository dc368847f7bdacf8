/** The SHA-1 of the script, by which servers know it: computing it would take a library, so a test compares it. */
export const SCRIPT_SHA = "d0d369170cc85937374254e38719fc4495845d25";
