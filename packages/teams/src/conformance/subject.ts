/** One step of a trace, as it stands in the data. */
export interface TraceStep {
  readonly do: string
  readonly fails?: string
  readonly save?: string
  readonly [field: string]: unknown
}

/**
 * An implementation under test. It works on the Claude Code configuration folder `root` and on nothing else; the suite
 * looks at the files. `perform` returns the request id where a step makes one, and throws an error with the `code` of
 * the refusal.
 */
export interface ConformanceSubject {
  perform(root: string, team: string, step: TraceStep): Promise<string | undefined>
  /** Reads every team file under `root` and writes each back unchanged in meaning. */
  rewrite(root: string): Promise<void>
  /** Reads an inbox file's text and says, for each entry it would deliver, the kind and the parsed body, if any. */
  deliverable(root: string, team: string, agent: string): Promise<{ text: string; kind: string; body: unknown }[]>
  /**
   * What somebody who watches the team sees: how each member is, and the ids of the requests that wait for an answer.
   */
  look(root: string, team: string): Promise<{ states: Readonly<Record<string, string>>; open: readonly string[] }>
  /** How a program is started for a member of this type in this mode, as far as that binds it. */
  terms(program: string, type: string, mode: string): Terms
}

export interface Terms {
  readonly flags: readonly string[]
  /** Laid over the program's own configuration. */
  readonly permission: Readonly<Record<string, string | Readonly<Record<string, string>>>>
}
