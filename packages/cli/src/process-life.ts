/** Whether a process lives on this machine; somebody else's, which cannot be signalled, lives too. */
export function isAlive(pid: number): boolean {
  try {
    return Number.isInteger(pid) && pid > 1 && process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}
