/** How a listener ends that failed at its work; one that could not begin, or is not needed any more, ends otherwise. */
export const CRASHED = 70

/**
 * One that a signal ended, or that crashed, left agents behind that report to it; what it knew is picked up by the next.
 * What crashes ten times does so again: then its line goes too, which nobody stands for, and whoever needs a listener
 * starts it.
 */
const AGAIN =
  `line=$1; shift; n=0; while "$@"; c=$?; [ $c -ge ${CRASHED} ]; do ` +
  `if [ $c -le 128 ]; then n=$((n + 1)); fi; if [ $n -ge 10 ]; then rm -f "$line"; exit $c; fi; sleep 0.2; done`

/** Runs a listener of that socket as long as it is needed. */
export function supervised(path: string, command: readonly string[]): [string, ...string[]] {
  return ["/bin/sh", "-c", AGAIN, "chorus-status-listener", `${path}.line`, ...command]
}
