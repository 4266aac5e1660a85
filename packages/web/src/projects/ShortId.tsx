import { toast, toastError } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { copyText } from "../settings/copy-text.ts"

/** What a task or an idea is called; a click copies its address. */
export function ShortId({ shortId }: { readonly shortId: string }) {
  const text = useText()
  const copy = () =>
    copyText(`${location.origin}/t/${shortId}`).then(() => toast(text("project.linkCopied", { shortId })), toastError)
  return (
    <button
      type="button"
      title={text("project.copyLink")}
      onClick={() => void copy()}
      className="mr-1.5 cursor-pointer font-normal text-muted hover:text-ink hover:underline"
    >
      {shortId}
    </button>
  )
}
