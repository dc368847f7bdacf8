// How many places a node has in advance, and when it asks for more.

/** No lease takes more than this part of a limit's places. */
export const MOST_OF_CAPACITY: number = 1 / 2;
/** More places are wanted when this part of the reserve is left. */
export const LOW: number = 1 / 4;
/** A lease is extended when it has been in use for this part of its life, if the server is asked anyway. */
export const EXTENDED_AFTER: number = 1 / 2;
/** The server is asked for an extension when this part of its life is left. */
export const NEAR_END: number = 1 / 4;
