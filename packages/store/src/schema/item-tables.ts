/** Tasks and ideas carry the names of their labels; this says which there are, and their colours. */
export interface LabelsTable {
  uuid: string
  projectUuid: string
  name: string
  /** The name in small letters: no project has two labels that differ in case alone. */
  lowerName: string
  hue: number
  createdAt: string
}

export interface ViewsTable {
  uuid: string
  projectUuid: string
  ownerUuid: string
  name: string
  layout: "board" | "list" | "graph"
  query: string
  shared: number
  updatedAt: string
}
