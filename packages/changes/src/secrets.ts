/** An address without the name and password that may stand in it. */
export function withoutPassword(remote: string): string {
  return remote.replace(/^([a-z+]+:\/\/)[^/@]*@/i, "$1")
}
