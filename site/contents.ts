import { existsSync } from "node:fs"
import { join } from "node:path"

export const LANGUAGES = ["en", "zh"] as const
export type Language = (typeof LANGUAGES)[number]

/** One page of the book; `file` is its place in the repository. */
export interface Chapter {
  readonly file: string
  /** Where it stands in the site, without the language: `teams.html`. */
  readonly place: string
  readonly title: Readonly<Record<Language, string>>
}

export interface Part {
  readonly title: Readonly<Record<Language, string>>
  readonly chapters: readonly Chapter[]
}

type Row = readonly [file: string, en: string, zh: string]

const PARTS: readonly { readonly en: string; readonly zh: string; readonly rows: readonly Row[] }[] = [
  {
    en: "Begin",
    zh: "入门",
    rows: [
      ["docs/index.md", "Overview", "概览"],
      ["docs/get-started.md", "Get started", "快速开始"],
      ["docs/way-of-working.md", "The way of working", "工作方式"],
    ],
  },
  {
    en: "Connect agents",
    zh: "连接智能体",
    rows: [
      ["docs/claude-code.md", "Claude Code", "Claude Code"],
      ["docs/codex.md", "Codex", "Codex"],
      ["docs/opencode.md", "OpenCode", "OpenCode"],
      ["docs/mcp.md", "Any MCP client", "任意 MCP 客户端"],
    ],
  },
  {
    en: "Work",
    zh: "使用",
    rows: [
      ["docs/planning.md", "From idea to plan", "从想法到计划"],
      ["docs/runs.md", "Runs", "运行"],
      ["docs/machines.md", "Machines", "机器"],
      ["docs/review.md", "Review", "审阅"],
      ["docs/teams.md", "Teams", "团队"],
      ["docs/plugins.md", "Plugins", "插件"],
      ["docs/status.md", "Status", "状态"],
      ["docs/outcomes.md", "What a turn comes to", "一轮的结果"],
      ["docs/companion.md", "The companion", "伴随进程"],
      ["docs/import.md", "Bring your work along", "把已有的工作带过来"],
      ["docs/cli.md", "The command", "命令行"],
    ],
  },
  {
    en: "Operate",
    zh: "运维",
    rows: [
      ["docs/operate.md", "Run it as a service", "作为服务运行"],
      ["docs/sign-in.md", "Sign-in, members, keys", "登录、成员与密钥"],
      ["docs/webhooks.md", "Webhooks", "Webhook"],
      ["docs/export.md", "The export format", "导出格式"],
      ["docs/scale.md", "Scale out", "横向扩展"],
      ["docs/security.md", "Security", "安全"],
      ["docs/performance.md", "Performance", "性能"],
      ["docs/faults.md", "Faults", "故障清单"],
    ],
  },
  {
    en: "Reference",
    zh: "参考",
    rows: [
      ["docs/reference/operations/index.md", "Operations", "操作"],
      ["docs/reference/tools.md", "MCP tools", "MCP 工具"],
      ["docs/reference/commands.md", "Commands", "命令"],
      ["docs/reference/events.md", "Events", "事件"],
      ["docs/reference/settings.md", "Settings", "设置"],
      ["docs/reference/errors.md", "Errors", "错误"],
      ["docs/reference/shapes.md", "Shapes", "数据结构"],
    ],
  },
  {
    en: "The house",
    zh: "内部",
    rows: [
      ["docs/architecture.md", "Architecture", "架构"],
      ["CONTRIBUTING.md", "Contributing", "参与贡献"],
      ["GLOSSARY.md", "Glossary", "术语表"],
      ["docs/dependencies.md", "Dependencies", "依赖"],
    ],
  },
]

/** The parts of the book with the chapters that are there. */
export function contents(root: string): Part[] {
  return PARTS.map(({ en, zh, rows }) => ({
    title: { en, zh },
    chapters: rows
      .filter(([file]) => existsSync(join(root, file)))
      .map(([file, en, zh]) => ({ file, place: placeOf(file), title: { en, zh } })),
  }))
}

export function placeOf(file: string): string {
  return file
    .replace(/^docs\//, "")
    .replace(/\.md$/, ".html")
    .toLowerCase()
}

/** Where the Chinese of a page would be. */
export function translationOf(file: string): string {
  return file.startsWith("docs/") ? file.replace(/^docs\//, "docs/zh/") : `docs/zh/${file.toLowerCase()}`
}
