import { X } from "lucide-react"
import { useState } from "react"
import { Field, IconButton, Input } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { CompletionList } from "../writing/CompletionList.tsx"
import { useChoosing } from "../writing/use-choosing.ts"
import { useCompletions } from "../writing/use-completions.ts"

export interface NamedTask {
  readonly uuid: string
  readonly title: string
}

interface DependsOnFieldProps {
  readonly projectUuid: string
  readonly chosen: readonly NamedTask[]
  /** Those it cannot wait for: itself, and what waits for it. */
  readonly except?: readonly string[]
  onChange(chosen: readonly NamedTask[]): void
}

/** What a task waits for, chosen among the tasks of its project by typing. */
export function DependsOnField({ projectUuid, chosen, except = [], onChange }: DependsOnFieldProps) {
  const text = useText()
  const [typed, setTyped] = useState("")
  const query = typed.trim()
  const found = useCompletions(query === "" ? undefined : { mark: "#", query, tasksOf: projectUuid }, [
    ...except,
    ...chosen.map(({ uuid }) => uuid),
  ])
  // What was typed and not chosen would look as if it counted.
  const clear = () => setTyped("")
  const choosing = useChoosing(
    found,
    ({ uuid, name }) => {
      onChange([...chosen, { uuid, title: name }])
      clear()
    },
    clear,
  )
  return (
    <Field label={text("tasks.dependsOn")}>
      {(ids) => (
        <>
          {chosen.length > 0 && (
            <ul aria-label={text("tasks.dependsOn")} className="flex flex-wrap gap-1.5">
              {chosen.map(({ uuid, title }) => (
                <li key={uuid} className="flex max-w-full items-center rounded-md bg-sunken pl-2 text-sm">
                  <span className="min-w-0 truncate" title={title}>
                    {title}
                  </span>
                  <IconButton
                    icon={X}
                    size="sm"
                    label={text("graph.removeDependency", { title })}
                    onClick={() => onChange(chosen.filter((each) => each.uuid !== uuid))}
                  />
                </li>
              ))}
            </ul>
          )}
          <div className="relative">
            <Input
              {...ids}
              role="combobox"
              aria-expanded={found.length > 0}
              {...choosing.aria}
              autoComplete="off"
              maxLength={256}
              value={typed}
              placeholder={text("tasks.findDependency")}
              onChange={(event) => {
                setTyped(event.target.value)
                choosing.restart()
              }}
              onBlur={clear}
              onKeyDown={choosing.onKey}
            />
            <CompletionList label={text("tasks.findDependency")} choosing={choosing} />
          </div>
        </>
      )}
    </Field>
  )
}
