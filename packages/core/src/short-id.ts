/** What people call a task or an idea by: the key of its project and a number, such as `SHOP-12`. */
const SHORT_ID = /^[A-Z][A-Z0-9]{1,9}-[1-9]\d{0,8}$/

/** The short id that a text is, however it is written; undefined when it is none. */
export function shortIdOf(text: string): string | undefined {
  const written = text.trim().toUpperCase()
  return SHORT_ID.test(written) ? written : undefined
}

const LONGEST = 5

/** A key that says which project it is: the first letters of its name, or of its words; with a number where another has it. */
export function projectKeyFrom(name: string, taken: ReadonlySet<string>): string {
  const words = name
    .normalize("NFKD")
    .toUpperCase()
    .split(/[^A-Z0-9\p{M}]+/u)
    .map((word) => word.replace(/[^A-Z0-9]/g, "").replace(/^\d+/, ""))
    .filter((word) => word !== "")
  const letters = words.length > 1 ? words.map((word) => word[0]).join("") : (words[0] ?? "")
  const usable = letters.slice(0, LONGEST)
  const key = usable.length >= 2 ? usable : `${usable}PROJ`.slice(0, 4)
  if (!taken.has(key)) return key
  for (let number = 2; ; number++) if (!taken.has(`${key}${number}`)) return `${key}${number}`
}
