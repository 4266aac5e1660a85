import { CircleAlert } from "lucide-react"
import { useContext } from "react"
import { useText } from "../i18n/language.ts"
import { InlineCode } from "../markdown/InlineCode.tsx"
import { SignedInContext } from "../sign-in/signed-in.ts"
import { Button } from "./Button.tsx"
import { wordsOf } from "./error-words.ts"

interface ProblemProps {
  readonly error: unknown
  onRetry?(): void
}

/** What went wrong, in place of what should be here. */
export function Problem({ error, onRetry }: ProblemProps) {
  const text = useText()
  const { title, detail, signIn } = wordsOf(error)
  return (
    <div role="alert" className="mx-auto flex max-w-md flex-col items-center px-6 py-16 text-center">
      <CircleAlert aria-hidden className="mb-3 size-6 text-failed" />
      <p className="font-medium wrap-anywhere">
        <InlineCode text={title} />
      </p>
      {detail !== undefined && (
        <p className="mt-1 text-sm wrap-anywhere text-muted">
          <InlineCode text={detail} />
        </p>
      )}
      {signIn ? (
        <SignInButton className="mt-4" />
      ) : (
        onRetry !== undefined && (
          <Button className="mt-4" onClick={onRetry}>
            {text("action.retry")}
          </Button>
        )
      )}
    </div>
  )
}

/** Leads to the sign-in page, where the server no longer knows who is here. */
export function SignInButton({ className, size }: { readonly className?: string; readonly size?: "sm" }) {
  const text = useText()
  const signedIn = useContext(SignedInContext)
  return (
    <Button
      tone="primary"
      {...(className === undefined ? {} : { className })}
      {...(size === undefined ? {} : { size })}
      onClick={() => (signedIn === undefined ? location.reload() : signedIn.refresh())}
    >
      {text("error.signIn")}
    </Button>
  )
}
