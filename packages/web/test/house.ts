/** The cookie by which the files of a run each have a server of their own. */
export const HOUSE = "house"
/** Where a file says that it needs its server no more. */
export const LEAVE = "/leave-house"
