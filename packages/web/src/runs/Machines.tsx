import type { runs } from "@chorus/contracts"
import { FolderPlus, X } from "lucide-react"
import { useState } from "react"
import { Badge, Button, Dialog, Fact, Facts, IconButton, Section, toast, toastError } from "../design/index.ts"
import { type Translate, useText } from "../i18n/language.ts"
import { useLive } from "../live/use-operation.ts"
import { AllowFolder } from "./AllowFolder.tsx"
import { PROGRAM_NAME } from "./run.ts"
import { useOwnMachine } from "./use-own-machine.ts"

/** The machines that can run agents, with what each has; the owner at the server's own says there what it allows. */
export function Machines({ runners }: { readonly runners: readonly runs.RunnerRow[] }) {
  const text = useText()
  const own = useOwnMachine()?.name
  return (
    <Section title={text("runs.machines")} count={runners.length} actions={own !== undefined && <AllowAnother />}>
      {runners.map((runner) => (
        <Facts key={runner.uuid}>
          <Fact name={runner.machine}>
            <span>{text("runs.slots", { busy: runner.busy, slots: runner.slots })}</span>
            {runner.room !== null && <span className="text-muted">{roomOf(text, runner.room)}</span>}
            {runner.programs
              .filter(({ missing }) => missing === null)
              .map(({ program, version }) => (
                <Badge key={program}>
                  {PROGRAM_NAME[program]} {version}
                </Badge>
              ))}
            {runner.folders.map((folder) => (
              <span key={`${folder.path} ${folder.project}`} className="flex basis-full items-center gap-1">
                <code className="text-xs break-all text-faint">
                  {folder.path}
                  {folder.project !== undefined && ` · ${folder.project}`}
                </code>
                {own === runner.machine && <TakeBack {...folder} />}
              </span>
            ))}
          </Fact>
        </Facts>
      ))}
    </Section>
  )
}

function AllowAnother() {
  const text = useText()
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button size="sm" icon={FolderPlus} onClick={() => setOpen(true)}>
        {text("runs.allowAnother")}
      </Button>
      <Dialog open={open} onOpenChange={setOpen} title={text("runs.allowAnother")}>
        <AllowFolder onAllowed={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

function TakeBack({ path, project }: runs.RunnerRow["folders"][number]) {
  const text = useText()
  const { client } = useLive()
  const takeBack = async () => {
    try {
      await client.ask("POST /api/machine/disallow", { folder: path, ...(project === undefined ? {} : { project }) })
      toast(text("runs.takenBack", { path }))
    } catch (error) {
      toastError(error)
    }
  }
  return <IconButton size="sm" icon={X} label={text("runs.takeBack", { path })} onClick={() => void takeBack()} />
}

function roomOf(text: Translate, { memory, freeMemory, worktrees }: runs.RunnerRoom): string {
  const gigabytes = (megabytes: number) => (megabytes / 1024).toFixed(1)
  const free = text("runs.memory", { free: gigabytes(freeMemory), all: gigabytes(memory) })
  return worktrees === null ? free : `${free} · ${text("runs.disk", { gigabytes: gigabytes(worktrees) })}`
}
