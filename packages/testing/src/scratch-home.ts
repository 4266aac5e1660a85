import { execFileSync } from "node:child_process"
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { temporaryDirectory } from "./temporary-directory.ts"

// Made up; Claude Code asks whether to use a key unless its last 20 characters were approved before.
const KEY = "sk-ant-made-up-0000000000000000"

export interface ScratchHomeOptions {
  /** The scripted model every agent in this home talks to. */
  model?: { readonly url: string }
  /** OpenCode's permission setting; by default everything is allowed. */
  opencodePermission?: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  /** The model name Codex asks for. Unknown names, as the default, get plain function tools; known ones get code mode. */
  codexModel?: string
}

export interface ScratchHome extends AsyncDisposable {
  readonly path: string
  /** A git repository in the home, trusted by all agents. */
  readonly project: string
  /** All that an agent is given: of this process's environment only where compiled code is kept is passed on. */
  readonly environment: Readonly<Record<string, string>>
  /** A further trusted git repository. */
  addProject(name: string): string
  remove(): Promise<void>
}

/** A home in which Claude Code, Codex and OpenCode start without a dialog, an account or a word to the outside. */
export function scratchHome(options: ScratchHomeOptions = {}): ScratchHome {
  const directory = temporaryDirectory("home-")
  const home = directory.path
  const url = options.model?.url ?? "http://127.0.0.1:9"
  const addProject = (name: string): string => {
    const project = join(home, name)
    mkdirSync(project, { recursive: true })
    execFileSync("git", ["init", "-q", "-b", "main", project], { env: { PATH: process.env["PATH"], HOME: home } })
    trust(home, project)
    return project
  }
  mkdirSync(join(home, "tmp"))
  writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = Test\n\temail = test@example.invalid\n")
  furnishClaude(home)
  furnishCodex(home, url, options.codexModel ?? "scripted")
  furnishOpencode(home, url, options.opencodePermission ?? {})
  return {
    path: home,
    project: addProject("project"),
    environment: environmentOf(home, url),
    addProject,
    remove: directory.remove,
    [Symbol.asyncDispose]: directory.remove,
  }
}

function environmentOf(home: string, url: string): Record<string, string> {
  return {
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: home,
    TMPDIR: join(home, "tmp"),
    LANG: "C.UTF-8",
    TERM: "xterm-256color",
    SHELL: "/bin/bash",
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_TELEMETRY: "1",
    // Root may then use bypassPermissions.
    IS_SANDBOX: "1",
    SCRIPTED_API_KEY: KEY,
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_MODELS_PATH: join(home, ".config", "opencode", "models.json"),
    npm_config_registry: "http://127.0.0.1:9",
    npm_config_fetch_retries: "0",
    ...compiled(),
  }
}

/** What a Node of this run has compiled the next one need not, in whichever home; `npm test` says where that is. */
function compiled(): Record<string, string> {
  const { NODE_COMPILE_CACHE } = process.env
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }
}

// Agents may have written to these files by the time a further project is added.
function trust(home: string, project: string): void {
  const state = readJson(join(home, ".claude.json"))
  const trusted = {
    allowedTools: [],
    hasTrustDialogAccepted: true,
    hasCompletedProjectOnboarding: true,
    projectOnboardingSeenCount: 1,
  }
  writeJson(join(home, ".claude.json"), {
    ...state,
    projects: { ...(state["projects"] as object | undefined), [project]: trusted },
  })
  appendFileSync(
    join(home, ".codex", "config.toml"),
    `[projects.${JSON.stringify(project)}]\ntrust_level = "trusted"\n`,
  )
}

function furnishClaude(home: string): void {
  writeJson(join(home, ".claude.json"), {
    numStartups: 5,
    theme: "dark",
    hasCompletedOnboarding: true,
    lastOnboardingVersion: "9.9.9",
    lastReleaseNotesSeen: "9.9.9",
    autoUpdates: false,
    bypassPermissionsModeAccepted: true,
    customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
    hasSeenTasksHint: true,
    officialMarketplaceAutoInstallAttempted: true,
  })
  writeJson(join(home, ".claude", "settings.json"), {
    skipDangerousModePermissionPrompt: true,
    spinnerTipsEnabled: false,
  })
}

function furnishCodex(home: string, url: string, model: string): void {
  const lines = [
    `model = ${JSON.stringify(model)}`,
    'model_provider = "scripted"',
    "[model_providers.scripted]",
    'name = "Scripted"',
    `base_url = "${url}/v1"`,
    'env_key = "SCRIPTED_API_KEY"',
    'wire_api = "responses"',
    "request_max_retries = 1",
    "stream_max_retries = 1",
  ]
  mkdirSync(join(home, ".codex"), { recursive: true })
  writeFileSync(join(home, ".codex", "config.toml"), `${lines.join("\n")}\n`)
}

function furnishOpencode(home: string, url: string, permission: object): void {
  const folder = join(home, ".config", "opencode")
  writeJson(join(folder, "opencode.json"), {
    model: "scripted/scripted",
    small_model: "scripted/scripted",
    autoupdate: false,
    share: "disabled",
    permission,
    provider: {
      scripted: {
        npm: "@ai-sdk/openai-compatible",
        name: "Scripted",
        options: { baseURL: `${url}/v1`, apiKey: KEY },
        models: { scripted: { name: "Scripted", tool_call: true, limit: { context: 128_000, output: 8000 } } },
      },
    },
  })
  // Its own list of everybody's models takes two seconds to read at each start; this home has its own.
  writeJson(join(folder, "models.json"), {})
  // With these in place OpenCode believes its plugin package is installed and asks no registry.
  const dependencies = { "@opencode-ai/plugin": "*" }
  mkdirSync(join(folder, "node_modules"))
  writeJson(join(folder, "package.json"), { dependencies })
  writeJson(join(folder, "package-lock.json"), {
    name: "opencode",
    lockfileVersion: 3,
    packages: { "": { dependencies } },
  })
}

function readJson(path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>
}

function writeJson(path: string, value: object): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${JSON.stringify(value, undefined, 2)}\n`)
}
