/** Narrows what an answer is about to some projects; it never widens what the caller can reach. */
export interface Focus {
  readonly projectUuids: readonly string[]
  readonly groupUuid: string | undefined
}

/** Reads the headers by which a client narrows its check-in: `X-Chorus-Project` (one or several, by comma) and `X-Chorus-Project-Group`, which wins. */
export function focusOf(header: (name: string) => string | null | undefined): Focus | undefined {
  const groupUuid = header("x-chorus-project-group")?.trim() || undefined
  const projectUuids = (header("x-chorus-project") ?? "")
    .split(",")
    .map((uuid) => uuid.trim())
    .filter((uuid) => uuid !== "")
  if (groupUuid === undefined && projectUuids.length === 0) return undefined
  return { groupUuid, projectUuids: groupUuid === undefined ? projectUuids : [] }
}
