/** Whether the first of two versions of a program came before the second. */
export function isOlder(one: string, other: string): boolean {
  const [parts, others] = [one.split(".").map(Number), other.split(".").map(Number)]
  const at = parts.findIndex((part, index) => part !== others[index])
  return at !== -1 && (parts[at] ?? 0) < (others[at] ?? 0)
}
