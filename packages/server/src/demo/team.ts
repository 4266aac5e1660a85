import type { McpCall } from "./mcp-call.ts"
import {
  ANSWERS,
  ASKED_ABOUT,
  DOCUMENTS,
  IDEA,
  LEFT_TO_A_PERSON,
  QUESTION_TO_A_PERSON,
  QUESTIONS,
  REPORTS,
  TASKS,
} from "./story.ts"

export interface Player {
  readonly name: string
  readonly call: McpCall
}

export interface Team {
  readonly lead: Player
  readonly planner: Player
  readonly workers: readonly Player[]
}

/** Waits about this long; rejects when the demo is stopped. */
export type Pause = (milliseconds: number) => Promise<void>

/** Plays the whole story: an idea, its questions, a plan, the work side by side, the verdicts. */
export async function play(team: Team, projectUuid: string, pause: Pause): Promise<void> {
  await plan(team, projectUuid, pause)
  const verdicts = new Verdicts(team.lead.call, projectUuid, pause)
  const working = Promise.all(team.workers.map((worker, index) => work(worker, index, projectUuid, pause))).then(() =>
    verdicts.workIsOver(),
  )
  await Promise.all([working, verdicts.run()])
}

async function plan({ lead, planner }: Team, projectUuid: string, pause: Pause): Promise<void> {
  const idea = await lead.call("chorus_pm_create_idea", { projectUuid, ...IDEA })
  const ideaUuid = idea["uuid"]
  await planner.call("chorus_checkin", {})
  await planner.call("chorus_claim_idea", { ideaUuid })
  await planner.call("chorus_pm_start_elaboration", { ideaUuid, depth: "minimal", questions: QUESTIONS })
  await pause(1200)
  await lead.call("chorus_answer_elaboration", { ideaUuid, answers: ANSWERS })
  await pause(800)
  const proposal = await planner.call("chorus_submit_plan", {
    projectUuid,
    title: IDEA.title,
    description: "Links first, then the page and the button; tests close the loop.",
    ideaUuids: [ideaUuid],
    documents: DOCUMENTS,
    tasks: TASKS,
  })
  await pause(1200)
  await lead.call("chorus_admin_approve_proposal", {
    proposalUuid: proposal["uuid"],
    reviewNote: "Clear and small. Go ahead.",
  })
}

/** Takes the next task that is ready until none is left, as a real agent would. */
async function work({ name, call }: Player, index: number, projectUuid: string, pause: Pause): Promise<void> {
  await call("chorus_checkin", {})
  const session = await call("chorus_create_session", { name: name.toLowerCase(), source: "demo" })
  const sessionUuid = session["uuid"]
  await pause(index * 700)
  for (let turn = index; ; turn++) {
    const brief = await call("chorus_next_task", { projectUuid, sessionUuid })
    const task = brief["task"] as { uuid: string; title: string; acceptanceCriteriaItems: { uuid: string }[] } | null
    if (task === null) {
      if (Number(brief["waiting"]) === 0) break
      await call("chorus_session_heartbeat", { sessionUuid })
      await pause(1500)
      continue
    }
    await pause(2500 + (turn % 3) * 1200)
    await call("chorus_report_work", {
      taskUuid: task.uuid,
      report: `Under way: ${task.title.toLowerCase()}.`,
      sessionUuid,
    })
    if (task.title === ASKED_ABOUT)
      await call("chorus_create_attention", { projectUuid, sessionUuid, kind: "input", title: QUESTION_TO_A_PERSON })
    await pause(2500 + (turn % 2) * 1500)
    const criteria = task.acceptanceCriteriaItems.map(({ uuid }) => ({
      uuid,
      devStatus: "passed",
      devEvidence: "Covered by a test; the whole suite is green.",
      exitCode: 0,
    }))
    await call("chorus_report_usage", {
      sessionUuid,
      taskUuid: task.uuid,
      model: "demo",
      inputTokens: 21_000 + turn * 900,
      outputTokens: 3400 + turn * 210,
      costUsd: 0.11 + turn * 0.01,
    }).catch(() => undefined)
    await call("chorus_finish_task", {
      taskUuid: task.uuid,
      report: REPORTS[turn % REPORTS.length] ?? "Done.",
      criteria,
      sessionUuid,
      // The question to a person stays open; the team goes on.
      insist: true,
    })
    await pause(900)
  }
  await call("chorus_close_session", { sessionUuid })
}

/** The lead looks at what is handed in and passes it; a few tasks nothing waits for are left to the person who watches. */
class Verdicts {
  readonly #call: McpCall
  readonly #projectUuid: string
  readonly #pause: Pause
  #over = false

  constructor(call: McpCall, projectUuid: string, pause: Pause) {
    this.#call = call
    this.#projectUuid = projectUuid
    this.#pause = pause
  }

  workIsOver(): void {
    this.#over = true
  }

  async run(): Promise<void> {
    for (;;) {
      const waiting = await this.#waiting()
      if (waiting !== undefined) await this.#pass(waiting)
      else if (this.#over) return
      await this.#pause(1100)
    }
  }

  async #waiting(): Promise<string | undefined> {
    const { tasks } = (await this.#call("chorus_list_tasks", {
      projectUuid: this.#projectUuid,
      status: "to_verify",
      pageSize: 20,
    })) as { tasks: { uuid: string; title: string }[] }
    return tasks.findLast(({ title }) => !LEFT_TO_A_PERSON.has(title))?.uuid
  }

  async #pass(taskUuid: string): Promise<void> {
    const task = await this.#call("chorus_get_task", { taskUuid })
    const criteria = (task["acceptanceCriteriaItems"] as { uuid: string }[]).map(({ uuid }) => ({
      uuid,
      status: "passed",
      evidence: "Looked at it and ran the tests.",
      exitCode: 0,
    }))
    await this.#call("chorus_mark_acceptance_criteria", { taskUuid, criteria })
    await this.#call("chorus_admin_verify_task", { taskUuid })
  }
}
