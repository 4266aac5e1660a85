import { fileURLToPath } from "node:url"

/** The file that is the command. `npm test` names the one that was built, which starts three times as fast; without that the source runs. */
export const CHORUS_MAIN =
  process.env["CHORUS_COMMAND"] ?? fileURLToPath(new URL("../../cli/src/main.ts", import.meta.url))
