import { drive, type ModelRequest, type ToolCall, type Turn } from "@chorus/testing"

/** What somebody wants, and what the planner makes of it: three pieces at once, and one that needs all of them. */
export const IDEA = {
  title: "A garden people can walk into",
  content: "Right now nobody finds the way in. I want a door, a path and a bell, and then open for everybody.",
}

export const QUESTION = {
  id: "colour",
  text: "What colour is the door?",
  category: "functional",
  options: [
    { id: "red", label: "Red, as the house" },
    { id: "green", label: "Green, as the garden" },
  ],
}

export const REJECTED = "The bell is missing. People have to announce themselves."
export const STEERED = "Gravel rather than sand, please."
export const COMMENT = "Iron rusts in this garden."
export const SUGGESTION = "brass"

export type Program = "claude" | "codex" | "opencode"

interface Work {
  readonly title: string
  readonly program: Program
  readonly file: string
  /** What lies in its file when all is done. */
  readonly holds: string
  readonly after: readonly string[]
}

export const DOOR: Work = { title: "Paint the door", program: "claude", file: "door.txt", holds: "red\n", after: [] }
export const PATH: Work = { title: "Lay the path", program: "codex", file: "path.txt", holds: "gravel\n", after: [] }
export const BELL: Work = {
  title: "Hang the bell",
  program: "opencode",
  file: "bell.txt",
  holds: "brass\nloud\n",
  after: [],
}
export const OPENING: Work = {
  title: "Open the garden",
  program: "claude",
  file: "open.txt",
  holds: "bell.txt door.txt path.txt\n",
  after: [DOOR.title, PATH.title, BELL.title],
}
export const ALL = [DOOR, PATH, BELL, OPENING] as const

const PLAN_TITLE = "Door, path and bell, then open"
const DESIGN =
  "Each piece is a file of its own, so that all of them can be built at once. The garden opens when all are there. "
const THREAD = /^- (\S+):(\d+) \([^)]*\): (.*)(?:\n {2}Suggested instead:\n {4}(.*))?\n {2}Thread (\S+)$/gm

/** How each program calls a tool of Chorus, runs a command, and writes a file. */
const CALLS: Record<
  Program,
  {
    chorus(name: string): Omit<ToolCall, "input">
    shell(command: string): ToolCall
    write(file: string, text: string): ToolCall
  }
> = {
  claude: {
    chorus: (name) => ({ name: `mcp__chorus__${name}` }),
    shell: (command) => ({ name: "Bash", input: { command, description: "look" } }),
    write: (file, text) => ({
      name: "Bash",
      input: { command: `printf '${escaped(text)}' > ${file}`, description: "write" },
    }),
  },
  codex: {
    chorus: (name) => ({ name, namespace: "mcp__chorus" }),
    shell: (cmd) => ({ name: "exec_command", input: { cmd } }),
    write: (file, text) => ({ name: "exec_command", input: { cmd: `printf '${escaped(text)}' > ${file}` } }),
  },
  opencode: {
    chorus: (name) => ({ name: `chorus_${name}` }),
    shell: (command) => ({ name: "bash", input: { command, description: "look" } }),
    write: (filePath, content) => ({ name: "write", input: { filePath, content } }),
  },
}

/** What the models of the runs do. The path waits for its gate, so that a person can say something meanwhile. */
export class Shop {
  #open = (): void => undefined
  readonly #gate = new Promise<void>((open) => (this.#open = open))

  /** Lets the one that lays the path end its turn. */
  openGate(): void {
    this.#open()
  }

  readonly play = async (request: ModelRequest): Promise<Turn> => {
    if (/Plan this idea; build nothing/.test(request.all)) return plan(request)
    const title = /Task [\w-]{36}: (.+?) \(/.exec(request.all)?.[1]
    const work = ALL.find((each) => each.title === title)
    if (work === undefined) return drive(request)
    const threads = [...request.prompt.matchAll(THREAD)]
    if (threads.length > 0) return mend(request, work, threads)
    if (work === PATH) return this.#path(request)
    if (work === BELL) return steps(request, [CALLS.opencode.write(BELL.file, "iron\nloud\n")])
    if (work === OPENING)
      return steps(request, [CALLS.claude.shell(`echo $(ls bell.txt door.txt path.txt) > ${OPENING.file}`)])
    // A program of its own is what Claude Code asks about; a file in its worktree it writes without.
    return steps(request, [CALLS.claude.shell(`node -e 'require("fs").writeFileSync("${DOOR.file}", "red\\n")'`)])
  }

  async #path(request: ModelRequest): Promise<Turn> {
    const { write } = CALLS.codex
    if (request.prompt.includes(STEERED)) return steps(request, [write(PATH.file, PATH.holds)])
    if (request.sincePrompt === 0) return { tools: [write(PATH.file, "sand\n")] }
    await this.#gate
    return { text: "The path is laid with sand." }
  }
}

/** Asks first, proposes once it is answered, and proposes more once that was rejected. */
function plan({ prompt, sincePrompt, all }: ModelRequest): Turn {
  const call = (name: string, input: object): ToolCall => ({ ...CALLS.claude.chorus(name), input: { ...input } })
  const [, ideaUuid = "", projectUuid = ""] =
    /^Idea \S+ \(([0-9a-f-]{36})\) of project .+ \(([0-9a-f-]{36})\)/m.exec(all) ?? []
  const proposalUuid = /`proposalUuid`: ([0-9a-f-]{36})/.exec(prompt)?.[1]
  const turns = (): Turn[] => {
    if (proposalUuid !== undefined)
      return [
        { tools: [call("chorus_get_proposal", { proposalUuid })] },
        {
          tools: [call("chorus_submit_plan", { projectUuid, proposalUuid, ...proposal([DOOR, PATH, BELL, OPENING]) })],
        },
        { text: "The bell is in the plan now." },
      ]
    if (prompt.includes("has been answered"))
      return [
        {
          tools: [
            call("chorus_submit_plan", { projectUuid, ideaUuids: [ideaUuid], ...proposal([DOOR, PATH, OPENING]) }),
          ],
        },
        { text: "The plan waits for approval." },
      ]
    return [
      { tools: [call("chorus_claim_idea", { ideaUuid })] },
      { tools: [call("chorus_pm_start_elaboration", { ideaUuid, depth: "minimal", questions: [QUESTION] })] },
      { text: "I have asked one question." },
    ]
  }
  return turns()[sincePrompt] ?? { text: "Done." }
}

function proposal(works: readonly Work[]) {
  const titles = works.map(({ title }) => title)
  return {
    title: PLAN_TITLE,
    description: "Everything that does not wait for something else is built side by side.",
    documents: [{ type: "tech_design", title: "The garden", content: DESIGN.repeat(3) }],
    tasks: works.map(({ title, file, holds, after }) => ({
      key: title,
      title,
      description: `${title}: write it into ${file}.`,
      priority: "medium",
      storyPoints: 1,
      criteria: [
        {
          description: `${file} says what was agreed`,
          command: `grep -qx '${holds.trim().split("\n").at(-1)}' ${file}`,
        },
      ],
      dependsOn: after.filter((each) => titles.includes(each)),
    })),
  }
}

function mend(request: ModelRequest, { program, file, holds }: Work, threads: readonly RegExpMatchArray[]): Turn {
  const { write, chorus } = CALLS[program]
  const [, taskUuid] = /Task ([\w-]{36})/.exec(request.all) ?? []
  const comments = threads.map(([, , , , instead, threadUuid]) => ({ threadUuid, text: `It is ${instead} now.` }))
  return steps(request, [write(file, holds), { ...chorus("chorus_comment_on_change"), input: { taskUuid, comments } }])
}

/** One call a turn, then the words by which work is handed in. */
function steps({ sincePrompt }: ModelRequest, tools: readonly ToolCall[]): Turn {
  const tool = tools[sincePrompt]
  return tool === undefined ? { text: "DONE It is as agreed.\n[x] 1 looked at it" } : { tools: [tool] }
}

function escaped(text: string): string {
  return text.replaceAll("\n", "\\n")
}
