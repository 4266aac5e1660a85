import { ChorusError } from "@chorus/contracts"
import { useState } from "react"
import { Button, Field, Input, onModEnter, Segmented, TextArea, toastError } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { Markdown } from "../markdown/Markdown.tsx"
import { StaleNote } from "./StaleNote.tsx"

interface EditorProps {
  /** What is written at, as it stands now; it changes when somebody else saves. */
  readonly subject: { readonly title: string; readonly content: string; readonly version: number }
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
  const [begun] = useState(subject.version)
  const [title, setTitle] = useState(subject.title)
  const [content, setContent] = useState(subject.content)
  const [look, setLook] = useState<"write" | "preview">("write")
  const [busy, setBusy] = useState(false)
  const stale = subject.version !== begun
  const keep = async () => {
    if (title.trim() === "" || busy) return
    setBusy(true)
    try {
      await save({ title: title.trim(), content, expectedVersion: subject.version })
      onDone()
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
      <Field label={text("tasks.title")}>
        {(ids) => <Input {...ids} maxLength={256} value={title} onChange={(event) => setTitle(event.target.value)} />}
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
                onChange={(event) => setContent(event.target.value)}
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
        <Button onClick={onDone}>{text("action.cancel")}</Button>
      </div>
    </div>
  )
}
