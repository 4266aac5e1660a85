import { Link } from "@tanstack/react-router"
import { Compass } from "lucide-react"
import { Button, EmptyState } from "../design/index.ts"
import { useText } from "../i18n/language.ts"

export function LostPage() {
  const text = useText()
  return (
    <main id="main" tabIndex={-1} className="min-h-0 flex-1 overflow-y-auto">
      <EmptyState
        icon={Compass}
        title={text("error.lost.title")}
        action={
          <Button asChild tone="primary">
            <Link to="/">{text("error.home")}</Link>
          </Button>
        }
      >
        {text("error.lost")}
      </EmptyState>
    </main>
  )
}
