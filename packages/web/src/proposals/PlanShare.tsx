import { Link2, Printer } from "lucide-react"
import { IconButton, printPage, toast, toastError } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { copyText } from "../settings/copy-text.ts"

/** Takes a plan to somebody else: as a link, or on paper. */
export function PlanShare() {
  const text = useText()
  const share = () => copyText(location.href).then(() => toast(text("items.linkCopied")), toastError)
  return (
    <>
      <IconButton icon={Link2} label={text("items.sharePlan")} onClick={() => void share()} />
      <IconButton icon={Printer} label={text("items.print")} onClick={printPage} />
    </>
  )
}
