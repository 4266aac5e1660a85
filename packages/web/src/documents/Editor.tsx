import { ChorusError } from "@chorus/contracts"
import { useState } from "react"
import {
  Button,
  DraftNote,
  Field,
  Input,
  onModEnter,
  Segmented,
  StopWriting,
  TextArea,
  toastError,
} from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useDraft } from "../live/draft.ts"
import { Markdown } from "../markdown/Markdown.tsx"
import { StaleNote } from "./StaleNote.tsx"

interface EditorProps {
  /** What is written at, as it stands now; it changes when somebody else saves. */
  readonly subject: {
    readonly uuid: string
    readonly title: string
    readonly content: string
    readonly version: number
  }
  /** Resolves when the new version is kept; rejects with `stale_version` when another came before it. */
  save(written: {
    readonly title: string
    readonly content: string
    readonly expectedVersion: number
  }): Promise<unknown>
  onDone(): void
}

/** Writes a new version. Whoever saved meanwhile is not written over unknowingly. */
export function Editor({ subject, save, onDone }: EditorProps) {
  const text = useText()
  const draft = useDraft(`edit.${subject.uuid}`, {
    title: subject.title,
    content: subject.content,
    begun: subject.version,
  })
  const { title, content, begun } = draft.value
  const [look, setLook] = useState<"write" | "preview">("write")
  const [busy, setBusy] = useState(false)
  const stale = subject.version !== begun
  const changed = title !== subject.title || content !== subject.content
  const stop = () => {
    draft.drop()
    onDone()
  }
  const keep = async () => {
    if (title.trim() === "" || busy) return
    setBusy(true)
    try {
      await save({ title: title.trim(), content, expectedVersion: subject.version })
      stop()
    } catch (error) {
      // The newer version arrives with the log and is told above the text; nothing typed is lost.
      if (!(error instanceof ChorusError && error.code === "stale_version")) toastError(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <div className="grid grid-cols-1 gap-4">
      {stale && <StaleNote version={subject.version} />}
      <DraftNote draft={draft} />
      <Field label={text("tasks.title")}>
        {(ids) => (
          <Input
            {...ids}
            maxLength={256}
            value={title}
            onChange={(event) => draft.set({ title: event.target.value, content, begun })}
          />
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
              <TextArea
                {...ids}
                autoFocus
                className="h-[52vh] min-h-48 font-mono text-sm"
                value={content}
                onChange={(event) => draft.set({ title, content: event.target.value, begun })}
                onKeyDown={onModEnter(() => void keep())}
              />
            )}
          </Field>
        </div>
        <div className={look === "preview" ? "min-w-0" : "hidden min-w-0 lg:block"}>
          <p className="mb-1.5 text-sm font-medium text-muted">{text("documents.preview")}</p>
          <div className="rounded-md border border-line px-4 py-3">
            <Markdown source={content} />
          </div>
        </div>
      </div>
      <div className="flex gap-2">
        <Button tone="primary" disabled={busy || title.trim() === ""} onClick={() => void keep()}>
          {text(stale ? "documents.overwrite" : "action.save")}
        </Button>
        <StopWriting changed={changed} onStop={stop} />
      </div>
    </div>
  )
}
