import { say } from "../i18n/language.ts"

/** Puts a text on the clipboard; over plain http, where browsers offer none, in the way they had before. */
export async function copyText(text: string): Promise<void> {
  const { clipboard } = navigator as { readonly clipboard?: Clipboard }
  if (
    clipboard !== undefined &&
    (await clipboard.writeText(text).then(
      () => true,
      () => false,
    ))
  )
    return
  if (!copiedByCommand(text)) throw new Error(say("settings.notCopied"))
}

function copiedByCommand(text: string): boolean {
  let given = false
  const give = (event: ClipboardEvent) => {
    event.clipboardData?.setData("text/plain", text)
    event.preventDefault()
    given = true
  }
  document.addEventListener("copy", give, { capture: true })
  try {
    return document.execCommand("copy") && given
  } finally {
    document.removeEventListener("copy", give, { capture: true })
  }
}
