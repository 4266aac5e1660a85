import type { LucideIcon } from "lucide-react"
import { Slot } from "radix-ui"
import type { ComponentProps } from "react"
import { classes } from "./classes.ts"

export type ButtonTone = "primary" | "secondary" | "ghost" | "danger"

const BASE =
  "inline-flex shrink-0 pointer-coarse:min-h-11 pointer-coarse:min-w-11 cursor-pointer items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap select-none transition-[background-color,border-color,color,opacity] duration-100 disabled:cursor-not-allowed disabled:opacity-50 aria-disabled:cursor-not-allowed aria-disabled:opacity-50"

const TONES: Record<ButtonTone, string> = {
  primary: "bg-accent text-accent-ink hover:bg-accent-strong",
  secondary: "border border-line-strong bg-surface text-ink hover:bg-hover",
  ghost: "text-muted hover:bg-hover hover:text-ink data-[state=open]:bg-hover data-[state=open]:text-ink",
  danger: "border border-line-strong bg-surface text-failed hover:border-failed hover:bg-failed-soft",
}

const SIZES = { sm: "h-7 px-2.5 text-sm", md: "h-8 px-3 text-sm", lg: "h-10 px-4 text-base" }

interface ButtonProps extends ComponentProps<"button"> {
  readonly tone?: ButtonTone
  readonly size?: keyof typeof SIZES
  readonly icon?: LucideIcon
  /** Renders the child (a link, say) in the button's looks. */
  readonly asChild?: boolean
}

export function Button({
  tone = "secondary",
  size = "md",
  icon: Icon,
  asChild = false,
  className,
  children,
  type = "button",
  ...rest
}: ButtonProps) {
  const look = classes(BASE, TONES[tone], SIZES[size], className)
  if (asChild) {
    return (
      <Slot.Root className={look} {...rest}>
        {children}
      </Slot.Root>
    )
  }
  return (
    <button type={type} className={look} {...rest}>
      {Icon !== undefined && <Icon aria-hidden className="size-4 shrink-0" />}
      {children}
    </button>
  )
}

interface IconButtonProps extends Omit<ComponentProps<"button">, "children"> {
  readonly icon: LucideIcon
  /** What the button does, for those who do not see it. */
  readonly label: string
  readonly tone?: ButtonTone
  readonly size?: "sm" | "md"
}

export function IconButton({ icon: Icon, label, tone = "ghost", size = "md", className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={classes(BASE, TONES[tone], size === "sm" ? "size-7" : "size-8", className)}
      {...rest}
    >
      <Icon aria-hidden className="size-4" />
    </button>
  )
}
