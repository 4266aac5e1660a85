import type { attachments } from "@chorus/contracts"
import { useEffect, useRef } from "react"
import { toastError } from "../design/index.ts"
import { useAction } from "../live/use-action.ts"

export interface AttachTo {
  readonly targetType: attachments.AttachmentRow["targetType"]
  readonly targetUuid: string
}

/** Files for what is not there yet, by the place each has in the text. */
export type HeldFiles = Map<string, File>

/** Sends files one after the other; a placeholder stands for each in the text until it has arrived. */
export function useAttaching(to: AttachTo | HeldFiles | undefined, value: string, onChange: (value: string) => void) {
  const { send, busy } = useSendFile()
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
      if (to instanceof Map) to.set(place, file)
      else change(replaced(now.current.value, place, await send(to, file)))
    }
  }
  return { attach, busy }
}

/** Attaches what was held, once there is something to attach it to; resolves to the text with the files in it. */
export function useAttachHeld(): (held: HeldFiles, text: string, to: AttachTo) => Promise<string> {
  const { send } = useSendFile()
  return async (held, text, to) => {
    let written = text
    for (const [place, file] of held)
      if (written.includes(place)) written = replaced(written, place, await send(to, file))
    return withoutPlaces(written)
  }
}

/** The text without files that have not arrived, also those of an earlier day, which nobody holds any more. */
export function withoutPlaces(text: string): string {
  return text.replace(/!\[[^\]\n]*\]\(uploading:[0-9a-f-]{36}\)\n?/g, "")
}

function replaced(text: string, place: string, put: string | undefined): string {
  return put === undefined ? text.replace(`${place}\n`, "").replace(place, "") : text.replace(place, () => put)
}

/** Attaches a file, and gives what stands for it in a text; undefined after a failure the person has been told about. */
function useSendFile() {
  const { run, busy } = useAction("chorus_add_attachment")
  const send = async (to: AttachTo, file: File): Promise<string | undefined> => {
    const made = await contentOf(file).then(
      (contentBase64) => run({ ...to, name: nameOf(file), mediaType: typeOf(file), contentBase64 }),
      (error: unknown) => void toastError(error),
    )
    return made && `${SHOWN.test(made.mediaType) ? "!" : ""}[${labelOf(made.name)}](attachment:${made.uuid})`
  }
  return { send, busy }
}

/** What the server shows as a picture. */
const SHOWN = /^image\/(png|jpeg|gif|webp|avif)$/

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
