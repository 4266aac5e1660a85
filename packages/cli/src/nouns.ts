import type { Command } from "commander"

export interface Noun {
  /** One line for `chorus --help`. */
  readonly does: string
  /** Another word for it. */
  readonly alias?: string
  /** Only the noun that is called is loaded, so that none slows the others' start. */
  load(): Promise<Command>
}

/** Every sub-command of `chorus`; a new one is a folder of its own and its line here. */
export const NOUNS: Readonly<Record<string, Noun>> = {
  start: { does: "Run the server.", load: async () => (await import("./start/command.ts")).startCommand() },
  demo: {
    does: "Watch a scripted team of agents build a sample project.",
    load: async () => (await import("./demo/command.ts")).demoCommand(),
  },
  signin: {
    does: "Make a one-time link to sign in.",
    load: async () => (await import("./people/signin-command.ts")).signinCommand(),
  },
  call: { does: "Call any operation.", load: async () => (await import("./call/command.ts")).callCommand() },
  mcp: {
    does: "Call a server's tools as an agent's program does.",
    load: async () => (await import("./mcp/command.ts")).mcpCommand(),
  },
  project: {
    does: "Add and list projects, and bring work into one.",
    load: async () => (await import("./project/command.ts")).projectCommand(),
  },
  agent: {
    does: "Add and list agents and make their keys.",
    load: async () => (await import("./agent/agent-command.ts")).agentCommand(),
  },
  key: { does: "List and revoke keys.", load: async () => (await import("./agent/key-command.ts")).keyCommand() },
  user: { does: "Add and list people.", load: async () => (await import("./people/user-command.ts")).userCommand() },
  connect: {
    does: "Connect an agent program to this server.",
    load: async () => (await import("./connect/command.ts")).connectCommand(),
  },
  disconnect: {
    does: "Take an agent program off this server.",
    load: async () => (await import("./connect/command.ts")).disconnectCommand(),
  },
  backup: {
    does: "Write a backup of the data to a file.",
    load: async () => (await import("./data/backup-command.ts")).backupCommand(),
  },
  restore: {
    does: "Restore a backup.",
    load: async () => (await import("./data/backup-command.ts")).restoreCommand(),
  },
  export: {
    does: "Write everything as JSON lines, without secrets.",
    load: async () => (await import("./data/export-command.ts")).exportCommand(),
  },
  import: {
    does: "Read an export into an empty store.",
    load: async () => (await import("./data/export-command.ts")).importCommand(),
  },
  doctor: {
    does: "Check this machine, the data and the server.",
    load: async () => (await import("./doctor/command.ts")).doctorCommand(),
  },
  team: { does: "Run and join teams of agents.", load: async () => (await import("./team/command.ts")).teamCommand() },
  status: {
    does: "See what every agent on this machine is doing.",
    load: async () => (await import("./status/command.ts")).statusCommand(),
  },
  run: {
    does: "Start an agent in this terminal, with its status known (`runs` has Chorus start one).",
    load: async () => (await import("./status/command.ts")).runCommand(),
  },
  "shell-init": {
    does: "Put the agents' wrappers first on this shell's PATH.",
    load: async () => (await import("./status/command.ts")).shellInitCommand(),
  },
  resume: {
    does: "Bring back the last agent session of this terminal.",
    load: async () => (await import("./status/resume-command.ts")).resumeCommand(),
  },
  companion: {
    does: "Report this machine's terminals and teams to the server, and carry people's decisions back.",
    load: async () => (await import("./companion/command.ts")).companionCommand(),
  },
  runner: {
    does: "Let Chorus put agents to work on this machine, and say what it may.",
    load: async () => (await import("./runner/command.ts")).runnerCommand(),
  },
  runs: {
    does: "Put agents to work on tasks, watch, steer and stop them.",
    load: async () => (await import("./runs/command.ts")).runsCommand(),
  },
  change: {
    does: "Show on a task what work changed in a repository; land it, or discard it.",
    load: async () => (await import("./change/command.ts")).changeCommand(),
  },
  check: {
    does: "Run a task's checks in this checkout and show on it what they gave.",
    load: async () => (await import("./check/command.ts")).checkCommand(),
  },
  plugin: {
    does: "Validate, install and govern plugins.",
    alias: "plugins",
    load: async () => (await import("./plugin/command.ts")).pluginCommand(),
  },
  uninstall: {
    does: "Remove everything that Chorus put on this machine.",
    load: async () => (await import("./uninstall/command.ts")).uninstallCommand(),
  },
  completion: {
    does: "Print a script that completes commands in your shell.",
    load: async () => (await import("./completion/command.ts")).completionCommand(),
  },
}
