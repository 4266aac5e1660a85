import type { drafts } from "@chorus/contracts"
import { Rows, Section } from "../design/index.ts"
import { useText } from "../i18n/language.ts"

/** What a yes to the plan lets machines run: they prove by these commands what is handed in, where they allow checks. */
export function PlanCommands({ tasks }: { readonly tasks: readonly drafts.TaskDraft[] }) {
  const text = useText()
  const proven = tasks.flatMap(({ title, acceptanceCriteriaItems }) =>
    acceptanceCriteriaItems.flatMap(({ command }) => (command === undefined ? [] : [{ command, title }])),
  )
  const commands = [...Map.groupBy(proven, ({ command }) => command)]
  if (commands.length === 0) return null
  return (
    <Section title={text("proposals.commands")} count={commands.length}>
      <p className="mb-2 text-sm text-muted">{text("proposals.commandsLead")}</p>
      <Rows label={text("proposals.commands")}>
        {commands.map(([command, of]) => (
          <li key={command} className="flex flex-wrap gap-x-3 gap-y-1 px-3 py-2 text-sm">
            <code className="min-w-0 flex-1 font-mono text-xs wrap-anywhere whitespace-pre-wrap">{command}</code>
            <span className="text-xs text-muted">{[...new Set(of.map(({ title }) => title))].join(", ")}</span>
          </li>
        ))}
      </Rows>
    </Section>
  )
}
