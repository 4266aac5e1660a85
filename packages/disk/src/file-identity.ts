import { statSync } from "node:fs"

/** Tells a file or folder from another one that had its name before, and from itself before it was touched. */
export interface FileIdentity {
  readonly ino: bigint
  readonly bornNs: bigint
  readonly mtimeNs: bigint
}

export function identify(path: string): FileIdentity | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? undefined : { ino: stat.ino, bornNs: stat.birthtimeNs, mtimeNs: stat.mtimeNs }
}

/** The same file, touched or not. */
export function sameFile(one: FileIdentity, other: FileIdentity): boolean {
  return one.ino === other.ino && one.bornNs === other.bornNs
}

/** The same file, and untouched. */
export function untouched(one: FileIdentity, other: FileIdentity): boolean {
  return sameFile(one, other) && one.mtimeNs === other.mtimeNs
}
