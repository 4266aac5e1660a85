import { parseArgs } from "node:util"
import { serveTeamTools } from "./stdio.ts"

const { values } = parseArgs({
  options: { team: { type: "string" }, as: { type: "string" }, plans: { type: "boolean" } },
})
await serveTeamTools({ team: values.team ?? "", name: values.as ?? "", plans: values.plans })
