import type { inbox, OutputOf, work } from "@chorus/contracts"

type Inbox = OutputOf<typeof inbox.inbox>
type Brief = work.TaskBrief

/** What the agent does next: calls a tool, or says something and ends its turn. */
export type Move = { readonly tool: string; readonly input: Record<string, unknown> } | { readonly text: string }

/**
 * An agent that knows what it was told and nothing else: every id, name and reason that it uses stood in an answer to one of its own
 * calls. One mind for all programs; it asks once, plans, mends its plan, asks again while it builds, and mends its work.
 */
export class Mind {
  /** How often it waited and nothing had come. */
  waitedInVain = 0
  readonly calls: string[] = []
  #cursor: number | undefined
  #projectUuid = ""
  #ideaUuid = ""
  #brief: Brief | undefined
  #choice = ""
  #changed = ""

  /** `order` is what its person said last; `answer` what its last call answered, nothing after a new order. */
  next(order: string, answer: Record<string, unknown> | undefined): Move {
    if (answer !== undefined && "error" in answer) throw new Error(JSON.stringify(answer["error"]))
    const move = answer === undefined ? call("chorus_checkin") : this.#follow(order, answer)
    if ("tool" in move) this.calls.push(move.tool)
    return move
  }

  #follow(order: string, answer: Record<string, unknown>): Move {
    if (typeof answer["cursor"] === "number") this.#cursor = answer["cursor"]
    const last = this.calls.at(-1)
    if (last === "chorus_checkin") return this.#begin(order, answer as unknown as { next: Inbox["waits"] })
    if (last === "chorus_claim_idea") return this.#ask()
    if (last === "chorus_inbox") return this.#heard(answer as unknown as Inbox)
    if (last === "chorus_next_task") return this.#work(answer as unknown as Brief)
    return call("chorus_inbox", { wait_seconds: 50, ...(this.#cursor === undefined ? {} : { after: this.#cursor }) })
  }

  #begin(order: string, { next }: { readonly next: Inbox["waits"] }): Move {
    const wanted = order.includes("idea") ? "idea" : "ready"
    const first = next.find(({ kind }) => kind === wanted)
    if (first === undefined) throw new Error(`check-in names nothing of kind ${wanted}: ${JSON.stringify(next)}`)
    this.#projectUuid = first.projectUuid ?? ""
    if (wanted === "ready") return this.#take()
    this.#ideaUuid = first.uuid
    return call("chorus_claim_idea", { ideaUuid: first.uuid })
  }

  #ask(): Move {
    const options = [
      { id: "keep", label: "It is kept for 30 days" },
      { id: "drop", label: "It goes with the session" },
    ]
    const question = { id: "basket", text: "What happens to a guest's basket?", category: "functional", options }
    return call("chorus_pm_start_elaboration", { ideaUuid: this.#ideaUuid, depth: "minimal", questions: [question] })
  }

  #heard({ waits, news, fresh }: Inbox): Move {
    if (!fresh) this.waitedInVain += 1
    this.#changed = news.map(({ message }) => /— (.+) \(before: /.exec(message)?.[1]).find(Boolean) ?? this.#changed
    const [first] = waits
    if (first?.kind === "plan") return this.#propose("Guest checkout", first.note ?? "")
    if (first?.kind === "revise")
      return this.#propose(/Call it ([\w ]+)\./.exec(first.note ?? "")?.[1] ?? "", first.note ?? "", first.uuid)
    if (first?.kind === "returned") return this.#take()
    if (first?.kind === "answer") {
      this.#choice = first.note ?? ""
      return this.#handIn(`Kept in a ${this.#choice}.`)
    }
    if (this.#brief === undefined && first?.kind === "ready") return { text: "The plan is approved." }
    if (news.some(({ action }) => action === "task_verified")) return { text: "Everything is verified." }
    return call("chorus_inbox", { after: this.#cursor, wait_seconds: 50 })
  }

  #propose(title: string, answers: string, proposalUuid?: string): Move {
    const content = `A guest's basket has a random id, and a table of its own. What people said about it: ${answers}`
    return call("chorus_submit_plan", {
      projectUuid: this.#projectUuid,
      title,
      ideaUuids: [this.#ideaUuid],
      documents: [{ type: "tech_design", title: "Baskets", content: content.padEnd(120, ".") }],
      tasks: [{ key: "store", title: "Keep baskets of guests", criteria: ["A basket survives a restart"] }],
      ...(proposalUuid === undefined ? {} : { proposalUuid }),
    })
  }

  #take(): Move {
    return call("chorus_next_task", { projectUuid: this.#projectUuid })
  }

  /** A new task is asked about first; one that came back is mended from what stands in its brief. */
  #work(brief: Brief): Move {
    this.#brief = brief
    const { returned, uuid } = brief.task
    if (returned === undefined)
      return call("chorus_create_attention", {
        title: "Cookie or local storage?",
        options: ["cookie", "local storage"],
        taskUuid: uuid,
      })
    const asked = brief.answers?.find(({ question }) => question === "Cookie or local storage?")?.answer
    const evidence = returned.failed.map((failed) => failed.evidence).join()
    return this.#handIn(`${returned.reason} Mended: ${evidence} Kept in a ${asked}. ${this.#changed}.`)
  }

  #handIn(report: string): Move {
    const { uuid: taskUuid, acceptanceCriteriaItems = [] } = this.#brief?.task ?? {}
    const criteria = acceptanceCriteriaItems.map(({ uuid }) => ({ uuid, devStatus: "passed" }))
    return call("chorus_finish_task", { taskUuid, report, criteria })
  }
}

function call(tool: string, input: Record<string, unknown> = {}): Move {
  return { tool, input }
}
