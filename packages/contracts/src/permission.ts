import { z } from "zod"

export const RESOURCES = ["idea", "proposal", "document", "task", "project"] as const
export const ACTIONS = ["read", "write", "admin"] as const

export type Resource = (typeof RESOURCES)[number]
export type Action = (typeof ACTIONS)[number]

/** One of the fifteen bits. No bit implies another. */
export type Permission = `${Resource}:${Action}`

export const PERMISSIONS: readonly Permission[] = RESOURCES.flatMap((resource) =>
  ACTIONS.map((action): Permission => `${resource}:${action}`),
)

export const Permission = z.enum(PERMISSIONS as [Permission, ...Permission[]])

/** `lead` plans and builds; `pm` is what it was called before, and gives the same. */
export const Preset = z.enum(["developer", "lead", "pm", "admin"])
export type Preset = z.infer<typeof Preset>

export const Role = z.enum(["owner", "admin", "member", "viewer"])
export type Role = z.infer<typeof Role>

/**
 * What an operation asks of its caller: a permission bit, or
 * `nobody` (open to all), `anyone` (signed in), `person` (a signed-in human), `steward` (a human who runs the workspace).
 */
export type Need = Permission | "nobody" | "anyone" | "person" | "steward"
