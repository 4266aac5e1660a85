export type Engine = "sqlite" | "postgres"

/** One forward step of the schema. Plain DDL that both engines read; where they differ, the engine decides. */
export interface Migration {
  readonly id: number
  readonly name: string
  statements(engine: Engine): readonly string[]
}
