import { useText } from "../i18n/language.ts"
import { shortHash } from "./curate.ts"

export function Hash({ value }: { readonly value: string | undefined }) {
  const text = useText()
  if (value === undefined) return <span className="text-faint">{text("plugins.unknownHash")}</span>
  return (
    <code title={value} className="font-mono text-xs">
      {shortHash(value)}
    </code>
  )
}
