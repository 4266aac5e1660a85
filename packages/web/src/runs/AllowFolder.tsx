import { useText } from "../i18n/language.ts"
import { Secret } from "../settings/Secret.tsx"
import { servedCommand } from "../welcome/commands.ts"

/** What lets Chorus start agents in a repository, as it runs on a machine that has npm and nothing of ours. */
export function AllowFolder() {
  return <Secret label={useText()("runs.allowCommand")} value={`${servedCommand(location.origin)} runner allow .`} />
}
