/** Today where the reader is, as YYYY-MM-DD. */
export function today(now = new Date()): string {
  const two = (value: number) => String(value).padStart(2, "0")
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`
}

/** Whether its day has passed and it is still to be done. */
export function isLate(
  { dueOn, status }: { readonly dueOn: string | null; readonly status?: string },
  day = today(),
): boolean {
  return dueOn !== null && dueOn < day && status !== "done" && status !== "closed"
}
