/** Whether the system refused with one of these codes. */
export function isErrno(error: unknown, ...codes: string[]): boolean {
  const code = (error as NodeJS.ErrnoException | undefined)?.code
  return code !== undefined && codes.includes(code)
}
