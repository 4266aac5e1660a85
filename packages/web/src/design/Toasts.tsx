import { CircleAlert, CircleCheck, X } from "lucide-react"
import { useSyncExternalStore } from "react"
import { useText } from "../i18n/language.ts"
import { InlineCode } from "../markdown/InlineCode.tsx"
import { classes } from "./classes.ts"
import { Button, IconButton } from "./Button.tsx"
import { SignInButton } from "./Problem.tsx"
import { dismissToast, onToasts, type Toast, toasts } from "./toasts.ts"

/**
 * Where short news appear, clear of what is pressed at the bottom of the window; read out as they come. On a phone they
 * stand in a row of their own below the page, above its buttons; over a dialog, which fills it, at the top.
 */
export function Toasts() {
  const shown = useSyncExternalStore(onToasts, toasts)
  const text = useText()
  return (
    <section
      aria-label={text("app.news")}
      aria-live="polite"
      className={classes(
        "pointer-events-none z-50 flex flex-col items-end gap-2 md:fixed md:right-4 md:bottom-4 md:[body:has([data-bottom-bar])_&]:bottom-24",
        "max-md:relative max-md:shrink-0 max-md:not-empty:p-2 max-md:not-empty:[body:has([data-thumb]:not(:empty))_&]:mb-15",
        "max-md:[body:has([role=dialog])_&]:fixed max-md:[body:has([role=dialog])_&]:inset-x-2 max-md:[body:has([role=dialog])_&]:top-12",
      )}
    >
      {shown.map((each) => (
        <ToastCard key={each.id} toast={each} />
      ))}
    </section>
  )
}

function ToastCard({ toast }: { readonly toast: Toast }) {
  const text = useText()
  const steps = { "action.open": toast.open, "action.undo": toast.undo }
  return (
    <div
      role={toast.kind === "error" ? "alert" : undefined}
      className="pointer-events-auto flex w-full max-w-sm animate-rise items-start gap-2.5 rounded-lg border border-line bg-raised py-2.5 pr-2 pl-3 text-sm shadow-(--shadow-raised)"
    >
      {toast.kind === "error" ? (
        <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-failed" />
      ) : (
        <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-done" />
      )}
      <div className="min-w-0 flex-1">
        <p className="font-medium wrap-anywhere">
          <InlineCode text={toast.title} />
        </p>
        {toast.detail !== undefined && (
          <p className="mt-0.5 break-words text-muted">
            <InlineCode text={toast.detail} />
          </p>
        )}
      </div>
      {toast.signIn === true && <SignInButton size="sm" />}
      {(["action.open", "action.undo"] as const).map((name) => {
        const step = steps[name]
        if (step === undefined) return null
        return (
          <Button
            key={name}
            size="sm"
            onClick={() => {
              step()
              dismissToast(toast.id)
            }}
          >
            {text(name)}
          </Button>
        )
      })}
      <IconButton icon={X} size="sm" label={text("action.close")} onClick={() => dismissToast(toast.id)} />
    </div>
  )
}
