import type { attachments } from "@chorus/contracts"
import { useEffect, useRef } from "react"
import { toastError } from "../design/index.ts"
import { useAction } from "../live/use-action.ts"
import { heldFiles } from "../markdown/held-files.ts"

export interface AttachTo {
  readonly targetType: attachments.AttachmentRow["targetType"]
  readonly targetUuid: string
}

/** Puts files into a text and sends them one after the other; those for what is not there yet are held until it is. */
export function useAttaching(to: AttachTo | "later" | undefined, value: string, onChange: (value: string) => void) {
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
    const waiting = files.map((file) => ({ file, uuid: crypto.randomUUID() }))
    for (const { file, uuid } of waiting) heldFiles.set(uuid, file)
    const put = waiting.map(({ file, uuid }) => `${placeOf(file, uuid)}\n`).join("")
    const before = now.current.value
    change(before.slice(0, caret) + put + before.slice(caret))
    if (to === "later") return
    for (const { uuid } of waiting) if (!(await send(to, uuid))) change(withoutFile(now.current.value, uuid))
  }
  return { attach, busy }
}

/** Attaches the held files that a text names, once there is something to attach them to; resolves to the text without those that failed. */
export function useAttachHeld(): (text: string, to: AttachTo) => Promise<string> {
  const { send } = useSendFile()
  return async (text, to) => {
    let whole = text
    for (const uuid of filesIn(text))
      if (heldFiles.has(uuid) && !(await send(to, uuid))) whole = withoutFile(whole, uuid)
    return whole
  }
}

/** A text kept from an earlier day, without the files that nobody holds any more. */
export function withoutLost(text: string): string {
  return filesIn(text).reduce((left, uuid) => (heldFiles.has(uuid) ? left : withoutFile(left, uuid)), text)
}

function filesIn(text: string): string[] {
  return [...text.matchAll(/\]\(attachment:([0-9a-f-]{36})\)/g)].map(([, uuid]) => uuid ?? "")
}

function withoutFile(text: string, uuid: string): string {
  return text.replace(new RegExp(`!?\\[[^\\]\\n]*\\]\\(attachment:${uuid}\\)\\n?`), "")
}

/** What stands for a file in a text. */
function placeOf(file: File, uuid: string): string {
  return `${SHOWN.test(file.type) ? "!" : ""}[${nameOf(file)}](attachment:${uuid})`
}

/** Attaches a held file and says whether it arrived; the person has been told if not. */
function useSendFile() {
  const { run, busy } = useAction("chorus_add_attachment")
  const send = async (to: AttachTo, uuid: string): Promise<boolean> => {
    const file = heldFiles.get(uuid)
    if (file === undefined) return false
    const made = await contentOf(file).then(
      (contentBase64) => run({ ...to, as: uuid, name: nameOf(file), mediaType: typeOf(file), contentBase64 }),
      (error: unknown) => void toastError(error),
    )
    heldFiles.delete(uuid)
    return made !== undefined
  }
  return { send, busy }
}

/** What the server shows as a picture. */
const SHOWN = /^image\/(png|jpeg|gif|webp|avif)$/

/** A pasted picture has no name of its own, and no name is a path. */
function nameOf(file: File): string {
  return (
    file.name
      .replace(/[[\]\\]/g, " ")
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
