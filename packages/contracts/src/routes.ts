import { z } from "zod"
import { FolderConsent, FolderOutlook, FolderWish, OwnMachineState } from "./own-machine.ts"
import { LinkAnswer, LinkRequest, PasswordChange, PasswordSignIn, SignInState } from "./sign-in.ts"

const Nothing = z.object({})

/** What the server takes and answers in JSON beside its operations, by method and address. */
export const routes = {
  "GET /api/auth/sign-in": { input: Nothing, output: SignInState },
  "POST /api/auth/link": { input: LinkRequest, output: LinkAnswer },
  "POST /api/auth/sign-in": { input: PasswordSignIn, output: z.object({ signedIn: z.literal(true) }) },
  "POST /api/auth/sign-out": { input: Nothing, output: z.object({ signedIn: z.literal(false) }) },
  "POST /api/auth/password": { input: PasswordChange, output: z.object({ changed: z.literal(true) }) },
  "POST /api/demo": { input: Nothing, output: z.object({ projectUuid: z.string() }) },
  "POST /api/machine": { input: Nothing, output: OwnMachineState },
  "POST /api/machine/look": { input: FolderWish, output: FolderOutlook },
  "POST /api/machine/allow": { input: FolderConsent, output: z.object({ allowed: z.literal(true) }) },
  "POST /api/machine/disallow": { input: FolderWish, output: z.object({ allowed: z.literal(false) }) },
} as const

export type RouteName = keyof typeof routes
export type RouteInput<Name extends RouteName> = z.input<(typeof routes)[Name]["input"]>
export type RouteParsed<Name extends RouteName> = z.output<(typeof routes)[Name]["input"]>
export type RouteOutput<Name extends RouteName> = z.input<(typeof routes)[Name]["output"]>
