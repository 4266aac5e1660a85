/** Class names put together; what does not apply is left out. */
export function classes(...parts: readonly (string | false | null | undefined)[]): string {
  return parts.filter((part) => typeof part === "string" && part !== "").join(" ")
}
