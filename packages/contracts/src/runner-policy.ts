import { z } from "zod"
import { RunMode, RunProgram } from "./operations/run-policy.ts"

/** What a machine lets Chorus do with it. Its own file says so; no server can widen it. */
export const RunnerPolicy = z.object({
  /** Repositories that agents may work on, each for every project or for the one it names. */
  folders: z
    .array(
      z.object({
        path: z.string().min(1),
        project: z.string().min(1).optional(),
        /** What makes a new worktree ready, and what runs before one is taken away; words, which no shell reads. */
        setUp: z.string().min(1).optional(),
        tearDown: z.string().min(1).optional(),
      }),
    )
    .default([]),
  programs: z.array(RunProgram.exclude(["command"])).default(["claude", "codex", "opencode", "qwen", "gemini"]),
  /** Further programs that speak the Agent Client Protocol, each as it is started, word for word. */
  commands: z.array(z.string().min(1)).default([]),
  /** The most an agent may do without asking. */
  mode: RunMode.default("edit"),
  /** Whether a run may begin where the remote's default branch is; that is fetched first. */
  network: z.boolean().default(false),
  inPlace: z.boolean().default(false),
  /**
   * Whether commands that people approved may be run on what agents handed in. They are code, and so is what they
   * check.
   */
  checks: z.boolean().default(false),
  slots: z.number().int().min(1).max(64).default(2),
  /** After which a run is ended. */
  minutes: z.number().int().min(1).default(240),
  /** How much memory all processes of a run may take together. */
  megabytes: z.number().int().min(100).default(6000),
  /** How much a run's program may say altogether. */
  outputMegabytes: z.number().int().min(1).default(1000),
  /** How long a set-up, a tear-down or a check may take. */
  scriptMinutes: z.number().int().min(1).default(10),
  /** What agents are shut into: nothing, a file system of which only their own part can be written, or a container. */
  enclosure: z.enum(["none", "bubblewrap", "podman", "docker"]).default("none"),
  /** Of which image such a container is; the programs are that image's. */
  image: z.string().min(1).nullable().default(null),
  /**
   * Whether verified work may be brought into a branch of the repository here; whether that is then pushed, as work is
   * for which people want a pull request.
   */
  land: z.boolean().default(false),
  push: z.boolean().default(false),
  /** After how many days the worktree of an ended run goes, if nothing is lost by that. */
  keepDays: z.number().int().min(0).default(14),
  /** Variables that agents get beside those that every program needs. */
  environment: z.array(z.string().regex(/^[A-Z_][A-Z0-9_]*$/i)).default([]),
})
export type RunnerPolicy = z.infer<typeof RunnerPolicy>
