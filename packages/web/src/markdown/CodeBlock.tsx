import { Check, Copy } from "lucide-react"
import { useMemo, useState } from "react"
import { IconButton, toastError } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { copyText } from "../settings/copy-text.ts"
import { shaded, type Shade } from "./highlight.ts"

const SHADES: Record<Shade, string> = {
  comment: "text-faint italic",
  string: "text-done",
  number: "text-waiting",
  keyword: "text-progress",
  added: "text-done",
  removed: "text-failed",
}

interface CodeBlockProps {
  readonly code: string
  readonly language: string
}

export function CodeBlock({ code, language }: CodeBlockProps) {
  const text = useText()
  const [copied, setCopied] = useState(false)
  const pieces = useMemo(() => shaded(code, language), [code, language])
  const copy = () =>
    copyText(code).then(() => {
      setCopied(true)
      setTimeout(() => setCopied(false), 1500)
    }, toastError)
  return (
    <div className="group relative">
      <pre tabIndex={0} aria-label={language === "" ? text("markdown.code") : text("markdown.codeIn", { language })}>
        <code>
          {pieces.map(({ text: part, shade }, at) =>
            shade === undefined ? (
              part
            ) : (
              <span key={at} className={SHADES[shade]}>
                {part}
              </span>
            ),
          )}
        </code>
      </pre>
      <IconButton
        icon={copied ? Check : Copy}
        label={text(copied ? "action.copied" : "action.copy")}
        size="sm"
        onClick={() => void copy()}
        className="absolute top-1 right-1 bg-sunken opacity-0 group-focus-within:opacity-100 group-hover:opacity-100"
      />
    </div>
  )
}
