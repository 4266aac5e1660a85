import type { proposals } from "@chorus/contracts"
import { Undo2 } from "lucide-react"
import { Badge, When, Who } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { Markdown } from "../markdown/Markdown.tsx"

type Asked = NonNullable<proposals.ProposalDetail["askedBefore"]>

/** What a plan that waits again had come back for: the new submission is judged by it. */
export function AskedBefore({ asked }: { readonly asked: Asked }) {
  const text = useText()
  return (
    <section
      aria-label={text("proposals.askedBefore")}
      className="grid grid-cols-1 gap-2 rounded-lg bg-waiting-soft px-4 py-3 text-sm"
    >
      <p className="flex flex-wrap items-center gap-2 font-medium text-waiting">
        <Undo2 aria-hidden className="size-4 shrink-0" />
        {text("proposals.askedIn", { number: asked.handIn })}
        <span className="flex items-center gap-2 text-xs font-normal text-muted">
          <Who actor={asked.by} />
          <When at={asked.at} />
        </span>
      </p>
      {asked.reason !== undefined && <Markdown source={asked.reason} />}
      {asked.findings.length > 0 && (
        <ul className="grid grid-cols-1 gap-1.5">
          {asked.findings.map(({ key, severity, text: words, by }) => (
            <li key={key} className="wrap-anywhere">
              <Badge tone={severity === "blocker" ? "failed" : "todo"}>{key}</Badge> {words}
              {by !== undefined && <span className="text-xs text-faint"> {by}</span>}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
