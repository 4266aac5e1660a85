import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { zipSync, type Zippable } from "fflate"
import { create } from "tar"
import { addMarketplace, networkPolicy, pluginContext, type AskConsent, type PluginContext } from "@chorus/plugins"

export type Tree = Record<string, unknown>

export const yes: AskConsent = () => true
export const no: AskConsent = () => false

/** A server over stdio with one tool, whose answer shows what it was given. */
export const MCP_SERVER = `
const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n")
let text = ""
process.stdin.on("data", (chunk) => {
  text += chunk
  for (let end = text.indexOf("\\n"); end !== -1; end = text.indexOf("\\n")) {
    const message = JSON.parse(text.slice(0, end)); text = text.slice(end + 1)
    if (message.method === "initialize") answer(message.id, { protocolVersion: message.params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } })
    else if (message.method === "tools/list") answer(message.id, { tools: [{ name: "ring", description: "Rings the bell.", inputSchema: { type: "object", properties: {} } }] })
    else if (message.method === "tools/call") answer(message.id, { content: [{ type: "text", text: "rung with " + process.env.BELL }] })
    else if (message.id !== undefined) answer(message.id, {})
  }
})
`

/** A home, a project and a place for fixtures, all thrown away at the end. */
export class Workbench implements AsyncDisposable {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "chorus-plugins-")))
  readonly home = join(this.root, "home")
  readonly project = join(this.root, "proj")
  readonly fixtures = join(this.root, "fix")
  readonly #servers: Server[] = []
  readonly #trusted: string[] = []

  constructor() {
    for (const folder of [this.home, this.project, this.fixtures]) mkdirSync(folder, { recursive: true })
  }

  get env(): NodeJS.ProcessEnv {
    return {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      HOME: this.home,
      CHORUS_MANAGED_SETTINGS: join(this.root, "managed-settings.json"),
      CHORUS_SECRETS: "file",
      npm_config_registry: this.registry,
    }
  }

  registry = "http://127.0.0.1:9"

  context(more: Partial<PluginContext> = {}): PluginContext {
    return pluginContext({
      env: this.env,
      project: this.project,
      network: networkPolicy({}, this.#trusted),
      claudeVersion: "2.1.325",
      ...more,
    })
  }

  /** Trusts a loopback host, as CHORUS_PLUGIN_TRUSTED_HOSTS would. */
  trust(host: string): void {
    this.#trusted.push(host)
  }

  write(at: string, tree: Tree): string {
    const root = join(this.fixtures, at)
    for (const [name, content] of Object.entries(tree)) {
      const path = join(root, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(
        path,
        typeof content === "string" || content instanceof Uint8Array ? content : JSON.stringify(content),
      )
    }
    return root
  }

  /** Writes a marketplace of folders and adds it, as its owner would; returns its folder. */
  async addLocal(name: string, plugins: readonly unknown[], tree: Tree = {}, more: Tree = {}): Promise<string> {
    const root = this.write(name, { ".claude-plugin/marketplace.json": market(name, plugins, more), ...tree })
    await addMarketplace(this.context(), { source: "directory", path: root }, "user")
    return root
  }

  /** Makes or extends a git repository; returns its commit. */
  commit(at: string, tree: Tree, tag?: string): string {
    const root = this.write(at, tree)
    if (!existsSync(join(root, ".git"))) this.git(root, "init", "-q", "-b", "main")
    this.git(root, "config", "uploadpack.allowAnySHA1InWant", "true")
    this.git(root, "config", "uploadpack.allowFilter", "true")
    this.git(root, "add", "-A")
    this.git(
      root,
      "-c",
      "user.name=T",
      "-c",
      "user.email=t@example.invalid",
      "commit",
      "-q",
      "--allow-empty",
      "-m",
      "change",
    )
    if (tag !== undefined) this.git(root, "tag", tag)
    return this.git(root, "rev-parse", "HEAD").trim()
  }

  git(at: string, ...args: string[]): string {
    return execFileSync("git", ["-C", at, ...args], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], HOME: this.root },
    })
  }

  async serve(
    answer: (request: IncomingMessage, response: ServerResponse) => void,
    options: { trusted?: boolean } = {},
  ): Promise<string> {
    const server = createServer(answer)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    this.#servers.push(server)
    const address = server.address()
    const host = `127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
    if (options.trusted !== false) this.trust(host)
    return `http://${host}`
  }

  /** Serves bytes by path. */
  serveFiles(files: Record<string, Uint8Array | string>, options: { trusted?: boolean } = {}): Promise<string> {
    return this.serve((request, response) => {
      const body = files[request.url ?? ""]
      response.writeHead(body === undefined ? 404 : 200).end(body)
    }, options)
  }

  /** A registry that serves packages as npm's does: packument, tarball, integrity. */
  async npmRegistry(packages: Record<string, Record<string, Tree>>): Promise<string> {
    const tarballs = new Map<string, Buffer>()
    const file = (name: string, version: string) => `${name}/-/${name.split("/").at(-1)}-${version}.tgz`
    const url = await this.serve((request, response) => {
      const path = decodeURIComponent(request.url ?? "").slice(1)
      const tarball = tarballs.get(path)
      if (tarball !== undefined) return response.writeHead(200).end(tarball)
      const versions = packages[path]
      if (versions === undefined) return response.writeHead(404).end("{}")
      const listed = Object.keys(versions).map((version) => [
        version,
        {
          name: path,
          version,
          dist: {
            tarball: `${url}/${file(path, version)}`,
            integrity: `sha512-${createHash("sha512")
              .update(tarballs.get(file(path, version)) ?? "")
              .digest("base64")}`,
          },
        },
      ])
      return response.writeHead(200, { "content-type": "application/json" }).end(
        JSON.stringify({
          name: path,
          "dist-tags": { latest: Object.keys(versions).at(-1) },
          versions: Object.fromEntries(listed),
        }),
      )
    })
    for (const [name, versions] of Object.entries(packages))
      for (const [version, tree] of Object.entries(versions))
        tarballs.set(file(name, version), await this.tarball({ "package.json": { name, version }, ...tree }))
    this.registry = url
    return url
  }

  async tarball(tree: Tree, prefix = "package"): Promise<Buffer> {
    const folder = this.write(
      `tar-${Math.random().toString(36).slice(2)}`,
      Object.fromEntries(Object.entries(tree).map(([name, content]) => [`${prefix}/${name}`, content])),
    )
    const file = `${folder}.tgz`
    await create({ gzip: true, file, cwd: folder }, [prefix])
    return readFileSync(file)
  }

  zip(tree: Record<string, string | Uint8Array | { content: string; mode: number }>): Uint8Array {
    const files: Zippable = {}
    for (const [name, value] of Object.entries(tree)) {
      const isPlain = typeof value === "string" || value instanceof Uint8Array
      const bytes =
        typeof value === "string"
          ? Buffer.from(value)
          : value instanceof Uint8Array
            ? value
            : Buffer.from(value.content)
      files[name] = isPlain ? bytes : [bytes, { os: 3, attrs: ((value as { mode: number }).mode << 16) >>> 0 }]
    }
    return zipSync(files)
  }

  json(path: string): Record<string, unknown> {
    return JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>
  }

  claude(...path: string[]): string {
    return join(this.home, ".claude", ...path)
  }

  get installed(): Record<string, Record<string, unknown>[]> {
    return this.json(this.claude("plugins", "installed_plugins.json"))["plugins"] as Record<
      string,
      Record<string, unknown>[]
    >
  }

  get settings(): Record<string, unknown> {
    return this.json(this.claude("settings.json"))
  }

  /** Everything under the home, to prove that nothing was written. */
  written(): string[] {
    return readdirSync(this.home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith(".lock-owner"))
      .map((entry) => join(entry.parentPath, entry.name).slice(this.home.length + 1))
      .sort()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(
      this.#servers.map((server) => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve)))),
    )
    rmSync(this.root, { recursive: true, force: true })
  }
}

/** Writes files as programs that may be started; text as it is, the rest as JSON. */
export function writeTree(root: string, tree: Tree): string {
  for (const [name, content] of Object.entries(tree)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), typeof content === "string" ? content : JSON.stringify(content), { mode: 0o755 })
  }
  return root
}

/** Makes or extends a git repository in a home; returns its address. */
export function repository(home: string, name: string, tree: Tree): string {
  const root = writeTree(join(home, name), tree)
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", root, ...args], { env: { PATH: process.env["PATH"], HOME: home } })
  if (!existsSync(join(root, ".git"))) git("init", "-q", "-b", "main")
  git("add", "-A")
  git("commit", "-q", "-m", "change")
  return `file://${root}`
}

export function plugin(name: string, more: Tree = {}): Tree {
  return { name, version: "1.0.0", description: "d", author: { name: "A" }, ...more }
}

export function skill(name = "s"): string {
  return `---\nname: ${name}\ndescription: d\n---\nb\n`
}

export function market(name: string, plugins: readonly unknown[], more: Tree = {}): Tree {
  return { name, owner: { name: "O" }, description: "d", plugins, ...more }
}

/** The code of the error a promise is rejected with. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : `unexpected: ${String(error)}`
  }
  return "nothing was refused"
}
