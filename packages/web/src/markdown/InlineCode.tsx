/** A line of plain text in which only what stands between backticks has a look of its own. */
export function InlineCode({ text }: { readonly text: string }) {
  return text.split(/`([^`]+)`/).map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      <code key={at} className="rounded-sm bg-sunken px-1 font-mono text-[0.9em]">
        {part}
      </code>
    ),
  )
}
