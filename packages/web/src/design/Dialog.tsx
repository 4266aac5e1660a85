import { useBlocker } from "@tanstack/react-router"
import { X } from "lucide-react"
import { Dialog as Radix } from "radix-ui"
import { type ReactNode, useEffect, useRef, useState } from "react"
import { useText } from "../i18n/language.ts"
import { Button, IconButton } from "./Button.tsx"
import { classes } from "./classes.ts"
import { isTyping, onModEnter } from "./keys.ts"
import { useOpener } from "./opener.ts"

const FOOTER = "flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3"

interface DialogProps {
  readonly open: boolean
  onOpenChange(open: boolean): void
  readonly title: string
  readonly description?: ReactNode
  readonly children?: ReactNode
  /** Buttons, the main one last. */
  readonly footer?: ReactNode
  readonly wide?: boolean
  /** What is typed in it is kept elsewhere, so it may be left without a question; `away` until it is closed. */
  readonly kept?: boolean | "away"
  /** Goes through with it, by Ctrl or ⌘ and Enter from anywhere in it. */
  onSend?: (() => void) | undefined
}

/** A question or a form that asks for everything one has; it closes by Escape, and asks first when that would lose what was typed. */
export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  children,
  footer,
  wide = false,
  kept = false,
  onSend,
}: DialogProps) {
  const text = useText()
  const opener = useOpener(open)
  const [state, setState] = useState<"untouched" | "typed" | "leaving">("untouched")
  const [way, setWay] = useState<Way>()
  const body = useRef<HTMLDivElement>(null)
  const leave = (stay: boolean) => {
    if (!stay && state !== "untouched") return setState("leaving")
    onOpenChange(stay)
  }
  const resume = () => {
    setState("typed")
    way?.reset()
    setWay(undefined)
  }
  const discard = () => {
    setState("untouched")
    onOpenChange(false)
    way?.proceed()
    setWay(undefined)
  }
  if (!open && state !== "untouched") setState("untouched")
  return (
    <Radix.Root open={open} onOpenChange={leave}>
      {state !== "untouched" && kept === false && (
        <Unsent
          onLeave={(there) => {
            setWay(there)
            setState("leaving")
          }}
        />
      )}
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 animate-fade bg-overlay" />
        <Radix.Content
          {...opener}
          // What happens to come first is the button that closes: Enter would throw away what was just asked for.
          // What is long is read by the keys from here on, and then come the buttons.
          onOpenAutoFocus={(event) => {
            event.preventDefault()
            if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus()
            startReading(body.current)
          }}
          onKeyDown={(event) => {
            const here = event.target instanceof Node && event.currentTarget.contains(event.target)
            if (here && onSend !== undefined && state !== "leaving" && !event.isDefaultPrevented())
              onModEnter(onSend)(event)
          }}
          // The first Escape is for the list of what fits that is open below a field.
          onEscapeKeyDown={(event) => {
            if (event.target instanceof Element && event.target.hasAttribute("aria-activedescendant"))
              event.preventDefault()
          }}
          onInput={(event) => kept !== true && isTyping(event.target) && setState("typed")}
          {...(description === undefined ? { "aria-describedby": undefined } : {})}
          className={classes(
            "fixed top-[12vh] left-1/2 z-50 flex max-h-[80vh] w-[calc(100vw-24px)] -translate-x-1/2 animate-rise flex-col rounded-xl border border-line bg-raised shadow-(--shadow-raised) outline-none",
            wide ? "max-w-3xl" : "max-w-md",
          )}
        >
          <header className="flex items-start gap-3 px-5 pt-4">
            <div className="min-w-0 flex-1">
              <Radix.Title className="text-lg font-semibold">{title}</Radix.Title>
              {description !== undefined && (
                <Radix.Description className="mt-1 text-sm text-muted">{description}</Radix.Description>
              )}
            </div>
            <Radix.Close asChild>
              <IconButton icon={X} label={text("action.close")} size="sm" className="-mr-1.5" />
            </Radix.Close>
          </header>
          <div ref={body} className="min-h-0 flex-1 overflow-y-auto px-5 py-4 outline-none empty:hidden">
            {children}
          </div>
          {state === "leaving" ? (
            // By the key its buttons are others than those of the form: the one that stays must not become the one that sends.
            <footer key="leaving" role="alert" className={classes(FOOTER, "items-center")}>
              <p className="mr-auto font-medium">{text("draft.loseTitle")}</p>
              <Button autoFocus onClick={resume}>
                {text("draft.resume")}
              </Button>
              <Button tone="danger" onClick={discard}>
                {text("draft.lose")}
              </Button>
            </footer>
          ) : (
            footer !== undefined && <footer className={FOOTER}>{footer}</footer>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** To another page, where one was going when one was asked. */
interface Way {
  proceed(): void
  reset(): void
}

/** What would be lost by going elsewhere, or by closing the window. */
function Unsent({ onLeave }: { onLeave(there: Way): void }) {
  const { status, proceed, reset } = useBlocker({ shouldBlockFn: leavesPage, withResolver: true })
  useEffect(() => {
    if (status === "blocked") onLeave({ proceed, reset })
  }, [status])
  return null
}

/** Whether it leads to another page, and not to another view of this one. */
export function leavesPage({ current, next }: Record<"current" | "next", { readonly pathname: string }>): boolean {
  return current.pathname !== next.pathname
}

/** With the focus, until it goes elsewhere: whether it is a stop of Tab is the browser's to say. */
function startReading(body: HTMLElement | null): void {
  if (body === null) return
  body.tabIndex = -1
  body.addEventListener("blur", () => body.removeAttribute("tabindex"), { once: true })
  body.focus()
}

/** Leaves the dialog it stands in. */
export function CancelButton() {
  const text = useText()
  return (
    <Radix.Close asChild>
      <Button>{text("action.cancel")}</Button>
    </Radix.Close>
  )
}

interface SidePanelProps {
  readonly open: boolean
  onOpenChange(open: boolean): void
  /** Read to those who do not see the panel. */
  readonly title: string
  readonly children: ReactNode
}

/** Something looked at beside the page it came from; the page stays usable. */
export function SidePanel({ open, onOpenChange, title, children }: SidePanelProps) {
  const opener = useOpener(open)
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange} modal={false}>
      <Radix.Portal>
        <Radix.Content
          {...opener}
          aria-describedby={undefined}
          onInteractOutside={(event) => event.preventDefault()}
          className="fixed inset-y-0 right-0 z-30 flex w-full max-w-[640px] animate-slide flex-col border-l border-line bg-surface shadow-(--shadow-raised) outline-none"
        >
          <Radix.Title className="sr-only">{title}</Radix.Title>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
