import { Link } from "@tanstack/react-router"
import { Compass } from "lucide-react"
import { Button, EmptyState } from "../design/index.ts"
import { useText } from "../i18n/language.ts"

export function LostPage() {
  const text = useText()
  return (
    <main id="main" tabIndex={-1} className="flex-1">
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
