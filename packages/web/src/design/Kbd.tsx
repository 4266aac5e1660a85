import { MOD } from "./keys.ts"

/** Keys to press, as on the keys of this machine; `⌘` stands for its modifier. */
export function Kbd({ keys }: { readonly keys: string }) {
  return (
    <span className="inline-flex gap-0.5">
      {keys
        .replace("⌘", MOD)
        .split(" ")
        .map((key, at) => (
          <kbd
            key={at}
            className="grid h-5 min-w-5 place-items-center rounded-sm border border-line bg-canvas px-1 font-sans text-xs text-muted"
          >
            {key}
          </kbd>
        ))}
    </span>
  )
}
