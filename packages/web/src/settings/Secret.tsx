import { Check, Copy } from "lucide-react"
import { useState } from "react"
import { Button, toastError } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { copyText } from "./copy-text.ts"

interface SecretProps {
  readonly value: string
  readonly label: string
}

/** Something to be copied, shown whole so that it can also be typed. */
export function Secret({ value, label }: SecretProps) {
  const text = useText()
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    try {
      await copyText(value)
      setCopied(true)
      setTimeout(() => setCopied(false), 2000)
    } catch (error) {
      toastError(error)
    }
  }
  return (
    <div className="flex items-center gap-2 rounded-md border border-line bg-sunken py-1.5 pr-1.5 pl-3">
      <code
        aria-label={label}
        tabIndex={0}
        className="min-w-0 flex-1 overflow-x-auto py-1 text-xs whitespace-nowrap select-all"
      >
        {value}
      </code>
      <Button size="sm" icon={copied ? Check : Copy} onClick={() => void copy()}>
        {text(copied ? "action.copied" : "action.copy")}
      </Button>
    </div>
  )
}
