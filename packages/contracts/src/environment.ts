/** A variable of the environment that Chorus reads. Options of the command that have a variable name it themselves. */
export interface EnvironmentVariable {
  readonly part: "server" | "sign-in" | "machine" | "plugins" | "hooks" | "ours"
  readonly says: string
  readonly otherwise?: string
}

/** Every variable of ours that is not an option of the command as well. `ours` are set by Chorus for programs it starts. */
export const ENVIRONMENT = {
  CHORUS_LOG: { part: "server", says: "How much is logged: `debug`, `info`, `warn` or `error`.", otherwise: "`warn`" },
  CHORUS_TRUST_PROXY: {
    part: "server",
    says: "`1` believes the proxy in front about whom it speaks for, as `--trust-proxy` does.",
  },
  CHORUS_CHECK_OUTPUT: {
    part: "server",
    says: "`1` checks each answer against its schema; for tests of changes to Chorus.",
  },
  CHORUS_SMTP_URL: {
    part: "server",
    says: "The mail server through which people are called by e-mail: `smtps://NAME:PASSWORD@mail.example.com`.",
    otherwise: "no e-mail is sent",
  },
  CHORUS_MAIL_FROM: {
    part: "server",
    says: "From whom that e-mail is: `Chorus <chorus@example.com>`.",
    otherwise: "`chorus@` and the name of the mail server",
  },
  CHORUS_OIDC_ISSUER: {
    part: "sign-in",
    says: "The issuer of the OpenID Connect provider; https, unless it runs on this machine.",
  },
  CHORUS_OIDC_CLIENT_ID: { part: "sign-in", says: "The client that is registered there for Chorus." },
  CHORUS_OIDC_CLIENT_SECRET: {
    part: "sign-in",
    says: "Its secret, for a confidential client; PKCE is used either way.",
  },
  CHORUS_OIDC_NAME: {
    part: "sign-in",
    says: "What the button on the sign-in page says.",
    otherwise: "`single sign-on`",
  },
  CHORUS_OIDC_DOMAINS: {
    part: "sign-in",
    says: "People with a verified address in these domains (comma between them) join by themselves.",
    otherwise: "only invited people come in",
  },
  CHORUS_OIDC_ROLE: {
    part: "sign-in",
    says: "What people who join by themselves become: `member`, `viewer` or `admin`.",
    otherwise: "`member`",
  },
  CHORUS_OIDC_TRUST_EMAIL: {
    part: "sign-in",
    says: "`1` for a provider that does not say whether an address is verified but vouches for all of its own.",
  },
  CHORUS_CACHE: {
    part: "machine",
    says: "Where fetched programs, compiled code and the listener's socket are kept.",
    otherwise: "`$XDG_CACHE_HOME/chorus` or `~/.cache/chorus`",
  },
  CHORUS_SOCK: {
    part: "machine",
    says: "The socket on which the status listener hears of agents.",
    otherwise: "one in the cache folder",
  },
  CHORUS_TERMINAL_ID: {
    part: "machine",
    says: "What this terminal is called in status lines.",
    otherwise: "taken from the terminal",
  },
  CHORUS_OFFLINE: { part: "plugins", says: "`1` forbids the network; what the cache holds is used." },
  CHORUS_PLUGIN_TRUSTED_HOSTS: {
    part: "plugins",
    says: "Hosts (`host:port`, comma between them) that plugins may come from although they are private.",
  },
  CHORUS_ALLOW_RESERVED_NAMES: {
    part: "plugins",
    says: "`1` lets marketplaces have names that are documented as reserved.",
  },
  CHORUS_MANAGED_SETTINGS: {
    part: "plugins",
    says: "The file with the rules of an organisation.",
    otherwise: "where Claude Code looks for it",
  },
  CHORUS_SECRETS: {
    part: "plugins",
    says: "`file` keeps plugins' secrets in a file on macOS too.",
    otherwise: "the keychain on macOS, a file only you can read elsewhere",
  },
  CHORUS_CLAUDE_VERSION: {
    part: "plugins",
    says: "The version of Claude Code to judge plugins by.",
    otherwise: "the installed one",
  },
  CHORUS_API_KEY: {
    part: "hooks",
    says: "The agent's key, for the hook program of Claude Code and for the companion.",
  },
  CHORUS_CODEX_KEY: { part: "hooks", says: "The key of Codex's agent.", otherwise: "CHORUS_API_KEY in its hooks" },
  CHORUS_OPENCODE_KEY: {
    part: "hooks",
    says: "The key of OpenCode's agent.",
    otherwise: "CHORUS_API_KEY in its plugin",
  },
  CHORUS_HOOK_SECONDS: {
    part: "hooks",
    says: "How long the hook program waits for the server at most.",
    otherwise: "2",
  },
  CHORUS_BEAT_SECONDS: {
    part: "hooks",
    says: "How often the hook program says that an agent's program still runs.",
    otherwise: "60",
  },
  CHORUS_AGENT: { part: "ours", says: "Which agent program runs in a wrapped terminal." },
  CHORUS_AGENT_PID: { part: "ours", says: "The process of the wrapped agent." },
  CHORUS_ANSWER_SECONDS: {
    part: "ours",
    says: "How long the page can answer what an older Claude Code asks; 0 is not at all.",
  },
  CHORUS_COMPANION_PROGRAM: { part: "ours", says: "How a hook starts the companion." },
  CHORUS_HOOK_PROGRAM: { part: "ours", says: "For which agent program the hook program runs." },
  CHORUS_NON_BLOCKING: {
    part: "ours",
    says: "Which of its descriptors a wrapped agent gets non-blocking, as they were given.",
  },
  CHORUS_FILES: { part: "ours", says: "Which files a wrapped agent gets by number, besides its input and outputs." },
  CHORUS_IGNORED: { part: "ours", says: "Which signals are ignored where a wrapped agent was started." },
  CHORUS_OSC_READER: { part: "ours", says: "Reads a wrapped agent's terminal signals." },
  CHORUS_CHECK_ID: { part: "ours", says: "Marks every process of a check, so that none outlives it." },
  CHORUS_RUN_ID: { part: "ours", says: "Marks every process of a run, so that none outlives it." },
  CHORUS_RUNNER: { part: "ours", says: "Marks every process that one runner started." },
  CHORUS_AGENT_VERSION: { part: "ours", says: "The version of a wrapped agent's program." },
  CHORUS_TAB: { part: "ours", says: "What a wrapped agent's terminal program calls its tab." },
  CHORUS_ONCE: { part: "ours", says: "Marks a wrapped agent that has no terminal of its own." },
  CHORUS_TERMINAL: { part: "ours", says: "The terminal a wrapped agent was started in, which one it opens is not." },
  CHORUS_TEAM_COMMAND: { part: "ours", says: "The command of a team member." },
  CHORUS_TEAM_MODE: { part: "ours", says: "Marks a team member's process." },
  CHORUS_TEAM_PROGRAM: { part: "ours", says: "The agent program of a team member." },
  CHORUS_SEND_KEY: { part: "ours", says: "From the hook program to its sender." },
  CHORUS_SEND_MARK: { part: "ours", says: "From the hook program to its sender." },
  CHORUS_SEND_SECONDS: { part: "ours", says: "From the hook program to its sender." },
  CHORUS_SEND_URL: { part: "ours", says: "From the hook program to its sender." },
} as const satisfies Readonly<Record<`CHORUS_${string}`, EnvironmentVariable>>
