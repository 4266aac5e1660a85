import { z } from "zod"
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
} as const

export type RouteName = keyof typeof routes
export type RouteInput<Name extends RouteName> = z.input<(typeof routes)[Name]["input"]>
export type RouteParsed<Name extends RouteName> = z.output<(typeof routes)[Name]["input"]>
export type RouteOutput<Name extends RouteName> = z.input<(typeof routes)[Name]["output"]>
