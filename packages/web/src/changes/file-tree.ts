/** A folder with what lies in it; chains of folders that hold nothing but one another are one. */
export interface FileFolder<File> {
  readonly name: string
  readonly path: string
  readonly folders: readonly FileFolder<File>[]
  readonly files: readonly File[]
  readonly additions: number
  readonly deletions: number
}

interface Counted {
  readonly path: string
  readonly additions: number
  readonly deletions: number
}

/** Files by their folders, each with the sums of what is in it, in the order in which they come. */
export function fileTree<File extends Counted>(files: readonly File[]): FileFolder<File> {
  return folderOf("", "", files, 0)
}

export function nameOf({ path }: Counted): string {
  return path.slice(path.lastIndexOf("/") + 1)
}

function folderOf<File extends Counted>(
  name: string,
  path: string,
  files: readonly File[],
  from: number,
): FileFolder<File> {
  const groups = Map.groupBy(files, (file) => {
    const end = file.path.indexOf("/", from)
    return end === -1 ? "" : file.path.slice(from, end)
  })
  const own = groups.get("") ?? []
  const below = [...groups].flatMap(([part, some]) =>
    part === "" ? [] : [folderOf(part, `${path}${part}/`, some, from + part.length + 1)],
  )
  const [only, ...more] = below
  if (name !== "" && only !== undefined && more.length === 0 && own.length === 0)
    return { ...only, name: `${name}/${only.name}` }
  const sum = (field: "additions" | "deletions") => files.reduce((all, file) => all + file[field], 0)
  return { name, path, folders: below, files: own, additions: sum("additions"), deletions: sum("deletions") }
}
