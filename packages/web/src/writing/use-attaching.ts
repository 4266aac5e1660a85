import type { attachments } from "@chorus/contracts"
import { useEffect, useRef } from "react"
import { toastError } from "../design/index.ts"
import { useAction } from "../live/use-action.ts"

export interface AttachTo {
  readonly targetType: attachments.AttachmentRow["targetType"]
  readonly targetUuid: string
}

/** Sends files one after the other; a placeholder stands for each in the text until it has arrived. */
export function useAttaching(to: AttachTo | undefined, value: string, onChange: (value: string) => void) {
  const { run, busy } = useAction("chorus_add_attachment")
  const now = useRef({ value, onChange })
  useEffect(() => {
    now.current = { value, onChange }
  })
  const change = (next: string) => {
    now.current = { ...now.current, value: next }
    now.current.onChange(next)
  }
  const attach = async (files: readonly File[], caret: number) => {
    if (to === undefined) return
    const waiting = files.map((file) => ({ file, place: `![${nameOf(file)}](uploading:${crypto.randomUUID()})` }))
    const before = now.current.value
    change(before.slice(0, caret) + waiting.map(({ place }) => `${place}\n`).join("") + before.slice(caret))
    for (const { file, place } of waiting) {
      const made = await contentOf(file).then(
        (contentBase64) => run({ ...to, name: nameOf(file), mediaType: typeOf(file), contentBase64 }),
        (error: unknown) => void toastError(error),
      )
      const put =
        made && `${made.mediaType.startsWith("image/") ? "!" : ""}[${labelOf(made.name)}](attachment:${made.uuid})`
      change(now.current.value.replace(put === undefined ? `${place}\n` : place, () => put ?? ""))
    }
  }
  return { attach, busy }
}

function labelOf(name: string): string {
  return name.replace(/[[\]\\]/g, " ")
}

/** A pasted picture has no name of its own, and no name is a path. */
function nameOf(file: File): string {
  return (
    labelOf(file.name)
      .replace(/[/\n\r]/g, "-")
      .slice(0, 200) || "file"
  )
}

function typeOf({ type }: File): string {
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : "application/octet-stream"
}

export async function contentOf(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let text = ""
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return btoa(text)
}
