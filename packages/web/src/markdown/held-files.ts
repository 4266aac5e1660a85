/** Files that a text names before the server has them, by the uuid each will have. */
export const heldFiles = new Map<string, File>()
