import type { attachments } from "@chorus/contracts"
import { Paperclip, Plus, Trash2 } from "lucide-react"
import { type ChangeEvent, useRef } from "react"
import { Button, IconButton, Section, toastError } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { useLive } from "../live/use-operation.ts"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { contentOf } from "../writing/use-attaching.ts"
import { saveFile } from "./save-file.ts"

interface AttachmentsProps {
  readonly targetType: attachments.AttachmentRow["targetType"]
  readonly targetUuid: string
  readonly attachments: readonly attachments.AttachmentRow[]
}

/** Files that belong to something; a file is downloaded, never shown inside the page. */
export function Attachments({ targetType, targetUuid, attachments: files }: AttachmentsProps) {
  const text = useText()
  const { person } = useSignedIn()
  const { client } = useLive()
  const picker = useRef<HTMLInputElement>(null)
  const add = useAction("chorus_add_attachment")
  const remove = useAction("chorus_remove_attachment")
  const may = mayChange(person)
  if (files.length === 0 && !may) return null
  const attach = async (chosen: readonly File[]) => {
    for (const file of chosen) {
      const contentBase64 = await contentOf(file)
      await add.run({
        targetType,
        targetUuid,
        name: file.name,
        mediaType: file.type === "" ? "application/octet-stream" : file.type,
        contentBase64,
      })
    }
  }
  const download = (file: attachments.AttachmentRow) =>
    client
      .call("chorus_get_attachment", { attachmentUuid: file.uuid })
      .then(({ contentBase64 }) => saveFile(file.name, asBytes(contentBase64), "application/octet-stream"), toastError)
  const take = (event: ChangeEvent<HTMLInputElement>) => {
    const chosen = [...(event.target.files ?? [])]
    // The same file may be chosen again after it was removed.
    event.target.value = ""
    void attach(chosen)
  }
  const input = <input ref={picker} type="file" multiple hidden aria-label={text("ideas.addFile")} onChange={take} />
  if (files.length === 0) {
    return (
      <>
        {input}
        <Button
          size="sm"
          tone="ghost"
          icon={Paperclip}
          className="justify-self-start"
          disabled={add.busy}
          onClick={() => picker.current?.click()}
        >
          {text("ideas.addFile")}
        </Button>
      </>
    )
  }
  return (
    <Section
      title={text("ideas.files")}
      count={files.length}
      actions={
        may && (
          <IconButton
            icon={Plus}
            size="sm"
            disabled={add.busy}
            label={text("ideas.addFile")}
            onClick={() => picker.current?.click()}
          />
        )
      }
    >
      {input}
      <ul className="grid grid-cols-1 gap-1 text-sm">
        {files.map((file) => (
          <li key={file.uuid} className="group flex items-center gap-2">
            <Paperclip aria-hidden className="size-4 shrink-0 text-faint" />
            <button
              type="button"
              onClick={() => void download(file)}
              className="cursor-pointer truncate text-accent hover:underline"
            >
              {file.name}
            </button>
            <span className="text-xs text-faint tabular-nums">
              {text("ideas.fileSize", { kilobytes: Math.ceil(file.size / 1024) })}
            </span>
            {may && (
              <IconButton
                icon={Trash2}
                size="sm"
                label={text("action.delete")}
                onClick={() => void remove.run({ attachmentUuid: file.uuid })}
                className="ml-auto opacity-0 group-focus-within:opacity-100 group-hover:opacity-100"
              />
            )}
          </li>
        ))}
      </ul>
    </Section>
  )
}

function asBytes(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}
