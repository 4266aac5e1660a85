import { hashOf } from "./hue.ts"

const HEADS = [
  <rect key="h" x="3" y="5" width="14" height="12" rx="3" />,
  <rect key="h" x="4" y="4" width="12" height="13" rx="6" />,
  <path key="h" d="M5 5h10l2 4v5l-3 3H6l-3-3V9z" />,
  <circle key="h" cx="10" cy="11" r="7" />,
]
const TOPS = [
  null,
  <path key="t" d="M10 5V2M8.6 2h2.8" />,
  <path key="t" d="M6.5 5 5 2M13.5 5 15 2" />,
  <path key="t" d="M7 4.5Q10 1 13 4.5" />,
]
const EYES = [
  <path key="e" d="M7.5 10v.01M12.5 10v.01" strokeWidth="2.4" />,
  <path key="e" d="M6.5 10h2M11.5 10h2" />,
  <path key="e" d="M6.5 10.5q1-1.6 2 0M11.5 10.5q1-1.6 2 0" />,
  <path key="e" d="M6 9.2h8v2H6z" />,
]
const MOUTHS = [
  <path key="m" d="M8 14h4" />,
  <path key="m" d="M7.5 13.5q2.5 2 5 0" />,
  <path key="m" d="M8 14.2h.01M10 14.2h.01M12 14.2h.01" />,
  <path key="m" d="M9 13.6h2v1.2H9z" />,
]

/** A face made from an agent's id: the same every time, and seldom anybody else's. */
export function Face({ uuid, className }: { readonly uuid: string; readonly className: string }) {
  const hash = hashOf(`face ${uuid}`)
  const pick = <Part,>(parts: readonly Part[], at: number): Part | undefined =>
    parts[(hash >>> (at * 4)) % parts.length]
  return (
    <svg
      aria-hidden
      viewBox="0 0 20 20"
      data-face={[0, 1, 2, 3].map((at) => (hash >>> (at * 4)) % 4).join("")}
      className={className}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      {pick(HEADS, 0)}
      {pick(TOPS, 1)}
      {pick(EYES, 2)}
      {pick(MOUTHS, 3)}
    </svg>
  )
}
