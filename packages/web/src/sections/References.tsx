import type { references } from "@chorus/contracts"
import { BookOpen, FolderGit2, GitPullRequest, Link2, type LucideIcon, Newspaper, Plus, X } from "lucide-react"
import { useState } from "react"
import { AskDialog, Button, Field, IconButton, Input, onEnter, Section, Select } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { safeLink } from "../markdown/safe-link.ts"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"

const ICONS: Record<references.ReferenceType, LucideIcon> = {
  docs: BookOpen,
  repo: FolderGit2,
  issue_pr: GitPullRequest,
  paper_blog: Newspaper,
}

interface ReferencesProps {
  readonly targetType: references.ReferenceRow["targetType"]
  readonly targetUuid: string
  readonly references: readonly Pick<references.ReferenceRow, "uuid" | "type" | "url" | "title" | "notes">[]
}

/** Links to things outside that matter here. */
export function References({ targetType, targetUuid, references: rows }: ReferencesProps) {
  const text = useText()
  const { person } = useSignedIn()
  const [adding, setAdding] = useState(false)
  const remove = useAction("chorus_remove_reference")
  const may = mayChange(person)
  if (rows.length === 0 && !may) return null
  if (rows.length === 0) {
    return (
      <>
        <Button size="sm" tone="ghost" icon={Plus} className="justify-self-start" onClick={() => setAdding(true)}>
          {text("tasks.addReference")}
        </Button>
        {adding && <AddReference targetType={targetType} targetUuid={targetUuid} onClose={() => setAdding(false)} />}
      </>
    )
  }
  return (
    <Section
      title={text("tasks.references")}
      count={rows.length}
      actions={
        may && <IconButton icon={Plus} size="sm" label={text("tasks.addReference")} onClick={() => setAdding(true)} />
      }
    >
      <ul className="grid grid-cols-1 gap-1 text-sm">
        {rows.map(({ uuid, type, url, title, notes }) => {
          const Icon = ICONS[type] ?? Link2
          return (
            <li key={uuid} className="group flex items-center gap-2">
              <Icon aria-hidden className="size-4 shrink-0 text-faint" />
              <a
                href={safeLink(url)}
                target="_blank"
                rel="noopener noreferrer"
                title={url}
                className="truncate text-accent hover:underline"
              >
                {title}
              </a>
              {notes !== null && <span className="truncate text-xs text-faint">{notes}</span>}
              {may && (
                <IconButton
                  icon={X}
                  size="sm"
                  label={text("action.delete")}
                  onClick={() => void remove.run({ uuid })}
                  className="ml-auto opacity-0 group-focus-within:opacity-100 group-hover:opacity-100"
                />
              )}
            </li>
          )
        })}
      </ul>
      {adding && <AddReference targetType={targetType} targetUuid={targetUuid} onClose={() => setAdding(false)} />}
    </Section>
  )
}

function AddReference({
  targetType,
  targetUuid,
  onClose,
}: Pick<ReferencesProps, "targetType" | "targetUuid"> & { onClose(): void }) {
  const text = useText()
  const add = useAction("chorus_add_reference")
  const [type, setType] = useState<references.ReferenceType>("docs")
  const [title, setTitle] = useState("")
  const [url, setUrl] = useState("")
  const ready = title.trim() !== "" && safeLink(url) !== undefined
  const save = async () => {
    if (
      ready &&
      !add.busy &&
      (await add.run({ targetType, targetUuid, type, title: title.trim(), url: url.trim() })) !== undefined
    )
      onClose()
  }
  return (
    <AskDialog
      open
      title={text("tasks.addReference")}
      confirm={text("action.save")}
      disabled={!ready || add.busy}
      onClose={onClose}
      onConfirm={() => void save()}
    >
      <div className="grid grid-cols-1 gap-4">
        <Field label={text("tasks.address")}>
          {(ids) => (
            <Input
              {...ids}
              type="url"
              autoFocus
              value={url}
              onChange={(event) => setUrl(event.target.value)}
              onKeyDown={onEnter(() => void save())}
            />
          )}
        </Field>
        <Field label={text("tasks.title")}>
          {(ids) => (
            <Input
              {...ids}
              value={title}
              onChange={(event) => setTitle(event.target.value)}
              onKeyDown={onEnter(() => void save())}
            />
          )}
        </Field>
        <Field label={text("tasks.kind")}>
          {(ids) => (
            <Select {...ids} value={type} onChange={(event) => setType(event.target.value as references.ReferenceType)}>
              <option value="docs">{text("tasks.reference.docs")}</option>
              <option value="repo">{text("tasks.reference.repo")}</option>
              <option value="issue_pr">{text("tasks.reference.issue_pr")}</option>
              <option value="paper_blog">{text("tasks.reference.paper_blog")}</option>
            </Select>
          )}
        </Field>
      </div>
    </AskDialog>
  )
}
