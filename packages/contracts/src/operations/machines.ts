import { z } from "zod"
import { ActorRef, line, pageOutput, pagesOf, signature } from "../signature.ts"
import { CuratedSet, MachineInventory, MarketplaceSource, PluginDeviation, PluginOffer } from "../plugins.ts"
import { ReportedRow, StatusRow } from "../status.ts"
import { TeamFact } from "../teams-facts.ts"

/** A terminal on some machine, and what `terminal.*` events patch. */
export const TerminalRow = StatusRow.extend({
  uuid: z.string(),
  machineUuid: z.string(),
  machine: z.string(),
  owner: ActorRef,
  updatedAt: z.string(),
})
export type TerminalRow = z.infer<typeof TerminalRow>

export const MachineRow = z.object({
  uuid: z.string(),
  name: z.string(),
  agent: ActorRef,
  lastSeenAt: z.string(),
  terminals: z.number().int(),
  /** Without what its marketplaces offer: that is for `chorus_browse_plugins`. */
  inventory: MachineInventory.nullable(),
  inventoryAt: z.string().nullable(),
  /** How its plugins differ from the curated set. */
  deviations: z.array(PluginDeviation),
})
export type MachineRow = z.infer<typeof MachineRow>

/** One build of a plugin that some machine has or is offered. Builds differ by their bytes, or by version where those are unknown. */
export const KnownPlugin = PluginOffer.extend({
  /** Where its marketplace comes from, as far as a machine told. */
  source: MarketplaceSource.optional(),
  installedOn: z.array(z.string()),
  offeredOn: z.array(z.string()),
  /** Whether these are the bytes the curated set asks for. */
  approved: z.boolean(),
})
export type KnownPlugin = z.infer<typeof KnownPlugin>

export const reportMachine = signature({
  name: "chorus_report_machine",
  does: "Report what this machine's terminals, teams and plugins are doing.",
  needs: "anyone",
  kind: "write",
  tool: "hidden",
  open: true,
  input: z.object({
    machine: line(120),
    terminals: z.array(ReportedRow).max(500).default([]),
    goneTerminals: z.array(z.string().max(200)).max(500).default([]),
    /** All that are there, after a time in which some may have ended unseen; every other one is gone. */
    presentTerminals: z.array(z.string().max(200)).max(5000).optional(),
    teamFacts: z.array(TeamFact).max(1000).default([]),
    inventory: MachineInventory.optional(),
    /** The companion is gone since then, and nobody knows what goes on there. */
    leftAt: z.iso.datetime().optional(),
  }),
  output: z.object({ machineUuid: z.string() }),
})

export const sweepTerminals = signature({
  name: "chorus_sweep_terminals",
  does: "Mark terminals as unknown whose machine has been silent for too long, and drop those that have ended there.",
  needs: "task:write",
  kind: "write",
  tool: "none",
  input: z.object({
    /** For a server that has just begun: where nothing was heard since then, nobody is there. */
    unheardSince: z.iso.datetime().optional(),
  }),
  output: z.object({ unknown: z.number().int(), gone: z.number().int() }),
})

export const listMachines = signature({
  name: "chorus_list_machines",
  does: "List the machines agents run on, with their plugins and how those deviate from the curated set.",
  needs: "anyone",
  kind: "read",
  tool: "none",
  input: z.object(pagesOf(200, 200)),
  output: z.object({ machines: z.array(MachineRow), ...pageOutput }),
})

export const listTerminals = signature({
  name: "chorus_list_terminals",
  does: "List what every agent terminal is doing, those that need a person first.",
  needs: "anyone",
  kind: "read",
  tool: "none",
  input: z.object(pagesOf(1000, 1000)),
  output: z.object({ terminals: z.array(TerminalRow), ...pageOutput }),
})

export const showTerminal = signature({
  name: "chorus_show_terminal",
  does: "Bring a terminal to the front on its machine, where its terminal program can be asked to.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({ machineUuid: z.uuid(), terminalId: line(200) }),
  output: z.object({ deliveryUuid: z.string() }),
})

export const seeTerminal = signature({
  name: "chorus_see_terminal",
  does: "Say that you have seen how a terminal's turn ended: it is no longer new, and once its program has ended it leaves the list.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({ machineUuid: z.uuid(), terminalId: line(200) }),
  output: z.object({ deliveryUuid: z.string().nullable() }),
})

export const browsePlugins = signature({
  name: "chorus_browse_plugins",
  does: "List every plugin the machines have or are offered, with what each one makes a machine do.",
  needs: "anyone",
  kind: "read",
  tool: "none",
  input: z.object({}),
  output: z.object({ plugins: z.array(KnownPlugin) }),
})

export const getCuratedPlugins = signature({
  name: "chorus_get_curated_plugins",
  does: "Get the set of plugins every machine of this workspace should have.",
  needs: "anyone",
  kind: "read",
  tool: "none",
  input: z.object({}),
  output: CuratedSet,
})

export const curatePlugins = signature({
  name: "chorus_curate_plugins",
  does: "Change the set of plugins every machine should have; the revision must be the current one.",
  needs: "steward",
  kind: "write",
  tool: "none",
  input: CuratedSet,
  output: CuratedSet,
})
