import type { versions } from "@chorus/contracts"
import { useDeferredValue, useState } from "react"
import { Button, DraftNote, Field, Input, onModEnter, Segmented, StopWriting } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { Markdown } from "../markdown/Markdown.tsx"
import { MarkdownField } from "../writing/MarkdownField.tsx"
import { StaleNote } from "./StaleNote.tsx"
import { type Subject, useWriting } from "./use-writing.ts"

interface Words {
  title: string
  content: string
}

interface EditorProps {
  readonly subject: Subject<Words> & { readonly uuid: string }
  /** Where its versions are kept; a draft keeps its own. */
  readonly of?: { readonly targetType: versions.VersionTarget; readonly targetUuid: string }
  /** Resolves when the new version is kept; rejects with `stale_version` when another came before it. */
  save(written: Partial<Words> & { readonly expectedVersion: number }): Promise<unknown>
  onDone(): void
}

/** Writes a new version. Whoever saved meanwhile is not written over unknowingly. */
export function Editor({ subject, of, save, onDone }: EditorProps) {
  const text = useText()
  const [look, setLook] = useState<"write" | "preview">("write")
  const { fields, clashes, busy, changed, draft, set, keep, stop } = useWriting<Words>(
    subject.uuid,
    subject,
    ["title", "content"],
    (changes, expectedVersion) => save({ ...trimmed(changes), expectedVersion }),
    onDone,
  )
  const { title, content } = fields
  const shown = useDeferredValue(content)
  const stale = clashes.length > 0
  const send = () => {
    if (title.trim() !== "") void keep()
  }
  return (
    <div className="grid grid-cols-1 gap-4">
      {stale && (
        <StaleNote
          version={subject.version}
          of={of}
          theirs={clashes.map((name) => ({
            name: text(name === "title" ? "tasks.title" : "documents.content"),
            words: subject[name],
          }))}
        />
      )}
      <DraftNote draft={draft} />
      <Field label={text("tasks.title")}>
        {(ids) => (
          <Input {...ids} maxLength={256} value={title} onChange={(event) => set("title", event.target.value)} />
        )}
      </Field>
      <div className="lg:hidden">
        <Segmented
          label={text("documents.content")}
          value={look}
          onChange={setLook}
          options={[
            { value: "write", label: text("documents.write") },
            { value: "preview", label: text("documents.preview") },
          ]}
        />
      </div>
      <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
        <div className={look === "write" ? "" : "hidden lg:block"}>
          <Field label={text("documents.content")} hint={text("tasks.markdownHint")}>
            {(ids) => (
              <MarkdownField
                {...ids}
                autoFocus
                preview={false}
                className="h-[52vh] min-h-48 font-mono text-sm"
                value={content}
                attachTo={of}
                onChange={(words) => set("content", words)}
                onKeyDown={onModEnter(send)}
              />
            )}
          </Field>
        </div>
        <div className={look === "preview" ? "min-w-0" : "hidden min-w-0 lg:block"}>
          <p className="mb-1.5 text-sm font-medium text-muted">{text("documents.preview")}</p>
          <div className="rounded-md border border-line px-4 py-3">
            <Markdown source={shown} />
          </div>
        </div>
      </div>
      <div className="flex gap-2">
        <Button tone="primary" disabled={busy || title.trim() === ""} onClick={send}>
          {text(stale ? "documents.overwrite" : "action.save")}
        </Button>
        <StopWriting changed={changed} onStop={stop} />
      </div>
    </div>
  )
}

function trimmed({ title, ...rest }: Partial<Words>): Partial<Words> {
  return title === undefined ? rest : { ...rest, title: title.trim() }
}
