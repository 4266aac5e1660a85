import type { FolderOutlook, FolderWish } from "@chorus/contracts"
import { FolderCheck } from "lucide-react"
import { useEffect, useState } from "react"
import { Button, Checkbox, Fact, Facts, Field, Input, Select, toast, toastError, wordsOf } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useLive } from "../live/use-operation.ts"
import { useProjects } from "../projects/use-projects.ts"
import { Secret } from "../settings/Secret.tsx"
import { servedCommand } from "../welcome/commands.ts"
import { PROGRAM_NAME } from "./run.ts"
import { useOwnMachine } from "./use-own-machine.ts"

const TYPING_MS = 300
const FURTHER = ["network", "inPlace", "checks", "land", "push"] as const
/** What goes beyond a worktree and is asked for on the page; the rest is set by the command. */
const SWITCHES = ["checks", "land"] as const

/**
 * What lets Chorus start agents in a repository: a click for the owner at the server's own machine, a command for
 * anybody else.
 */
export function AllowFolder({ onAllowed }: { onAllowed?(): void }) {
  const text = useText()
  const machine = useOwnMachine()
  if (machine === undefined) return null
  if (machine !== null) return <AllowHere suggested={machine.suggested} onAllowed={onAllowed} />
  return (
    <div className="grid grid-cols-1 gap-3">
      <p className="text-sm text-muted">{text("runs.allowFirst")}</p>
      <Secret label={text("runs.allowCommand")} value={`${servedCommand(location.origin)} runner allow .`} />
    </div>
  )
}

interface AllowHereProps {
  readonly suggested: string | null
  readonly onAllowed: (() => void) | undefined
}

/** Nothing is allowed that was not shown: what the machine would allow is sent back with the click. */
function AllowHere({ suggested, onAllowed }: AllowHereProps) {
  const text = useText()
  const { client } = useLive()
  const projects = useProjects().answer?.projects ?? []
  const [folder, setFolder] = useState(suggested ?? "")
  const [project, setProject] = useState("")
  const [more, setMore] = useState({ checks: false, land: false })
  const [without, setWithout] = useState<readonly string[]>([])
  const [state, setState] = useState<"open" | "busy" | "allowed">("open")
  const wish = { folder: folder.trim(), ...(project === "" ? {} : { project }), ...more }
  const { outlook, error } = useOutlook(wish)
  if (state === "allowed") return <p className="text-sm text-muted">{text("runs.allowedSoon")}</p>
  const allow = async (shown: FolderOutlook) => {
    setState("busy")
    const fetch = shown.adapters.map(({ adapter }) => adapter).filter((adapter) => !without.includes(adapter))
    try {
      await client.ask("POST /api/machine/allow", { ...wish, shown: shown.policy, fetch })
      toast(text("runs.allowed", { path: shown.path }))
      setState("allowed")
      onAllowed?.()
    } catch (fault) {
      toastError(fault)
      setState("open")
    }
  }
  return (
    <div className="grid grid-cols-1 gap-4 text-left">
      <p className="text-sm text-muted">{text("runs.allowHere")}</p>
      <Field
        label={text("runs.folder")}
        hint={text("runs.folderHint")}
        error={error === undefined ? undefined : told(error)}
      >
        {(field) => (
          <Input {...field} value={folder} spellCheck={false} onChange={(event) => setFolder(event.target.value)} />
        )}
      </Field>
      <Field label={text("runs.folderFor")}>
        {(field) => (
          <Select {...field} value={project} onChange={(event) => setProject(event.target.value)}>
            <option value="">{text("runs.everyProject")}</option>
            {projects.map(({ uuid, name }) => (
              <option key={uuid} value={name}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {SWITCHES.map((name) => (
        <Checkbox
          key={name}
          checked={more[name]}
          onChange={(checked) => setMore({ ...more, [name]: checked })}
          label={text(`runs.allow.${name}`)}
        />
      ))}
      {outlook !== undefined && <Allowed {...outlook} />}
      {outlook?.adapters.map(({ program, adapter }) => (
        <Checkbox
          key={adapter}
          checked={!without.includes(adapter)}
          onChange={(checked) => setWithout(checked ? without.filter((one) => one !== adapter) : [...without, adapter])}
          label={text("runs.fetchAdapter", { program: PROGRAM_NAME[program], adapter })}
        />
      ))}
      <div className="flex justify-end">
        <Button
          tone="primary"
          icon={FolderCheck}
          disabled={outlook === undefined || state === "busy"}
          onClick={() => outlook !== undefined && void allow(outlook)}
        >
          {text("runs.allowCommand")}
        </Button>
      </div>
    </div>
  )
}

function Allowed({ path, policy }: FolderOutlook) {
  const text = useText()
  const further = FURTHER.filter((name) => policy[name]).map((name) => text(`runs.further.${name}`))
  const programs = [...policy.programs.map((program) => PROGRAM_NAME[program]), ...policy.commands]
  const others = policy.folders.filter((one) => one.path !== path)
  const scripts = policy.folders.flatMap((one) => (one.path === path ? [one.setUp, one.tearDown] : [])).filter(Boolean)
  return (
    <Facts>
      <Fact name={text("runs.repository")}>
        <code className="text-xs break-all">{path}</code>
      </Fact>
      <Fact name={text("runs.programs")}>{programs.join(", ")}</Fact>
      <Fact name={text("runs.mode")}>{text(`runs.mode.${policy.mode}`)}</Fact>
      <Fact name={text("runs.atOnce")}>
        <span>{text("runs.atMost", { count: policy.slots })}</span>
        <span>{text("runs.limits", { minutes: policy.minutes, megabytes: policy.megabytes })}</span>
      </Fact>
      <Fact name={text("runs.further")}>{further.length === 0 ? text("runs.furtherNone") : further.join(", ")}</Fact>
      {scripts.length > 0 && (
        <Fact name={text("runs.scripts")}>
          <code className="text-xs break-all">{scripts.join(" · ")}</code>
        </Fact>
      )}
      {policy.enclosure !== "none" && (
        <Fact name={text("runs.enclosure")}>{[policy.enclosure, policy.image].filter(Boolean).join(" · ")}</Fact>
      )}
      {policy.environment.length > 0 && <Fact name={text("runs.variables")}>{policy.environment.join(", ")}</Fact>}
      {others.length > 0 && (
        <Fact name={text("runs.foldersToo")}>
          <code className="text-xs break-all">{others.map((one) => one.path).join(", ")}</code>
        </Fact>
      )}
    </Facts>
  )
}

function told(error: unknown): string {
  const { title, detail } = wordsOf(error)
  return detail === undefined ? title : `${title} ${detail}`
}

/** What the machine would allow with a folder, once nobody types any more; only the last question's answer counts. */
function useOutlook(wish: FolderWish) {
  const { client } = useLive()
  const { folder, project, checks, land } = wish
  const [seen, setSeen] = useState<{ outlook?: FolderOutlook; error?: unknown }>({})
  useEffect(() => {
    setSeen({})
    if (folder === "") return undefined
    let left = false
    const take = (what: typeof seen) => !left && setSeen(what)
    const asked = setTimeout(() => {
      const named = project === undefined ? {} : { project }
      void client.ask("POST /api/machine/look", { folder, checks, land, ...named }).then(
        (outlook) => take({ outlook }),
        (error: unknown) => take({ error }),
      )
    }, TYPING_MS)
    return () => {
      left = true
      clearTimeout(asked)
    }
  }, [client, folder, project, checks, land])
  return seen
}
