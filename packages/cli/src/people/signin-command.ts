import { ChorusError, type UserId } from "@chorus/contracts"
import { Command } from "commander"
import { paint, printJson, type Target, withTarget } from "../output.ts"
import { DEFAULT_URL } from "../server-address.ts"
import { inWorkplace, type Workplace } from "../workplace.ts"
import { allMembers } from "./members.ts"

export function signinCommand(): Command {
  return withTarget(new Command("signin"))
    .option("--user <user>", "for somebody else: their e-mail, name or uuid")
    .action(async (options: Target & { user?: string }) => {
      const link = await inWorkplace(options, async (workplace) => {
        const userUuid = await whoSignsIn(workplace, options.user)
        const { signInPath, expiresAt } = await workplace.call(
          "chorus_create_sign_in_link",
          { userUuid },
          { retry: false },
        )
        return {
          url: `${workplace.url ?? DEFAULT_URL}${signInPath}`,
          expiresAt,
          serverRuns: workplace.url !== undefined,
        }
      })
      if (options.json) return printJson(link)
      process.stdout.write(`sign in (once, within 15 minutes): ${paint("cyan", link.url)}\n`)
      if (!link.serverRuns)
        process.stdout.write(`${paint("yellow", "no server runs here;")} start it first: chorus start\n`)
    })
}

async function whoSignsIn(workplace: Workplace, wanted: string | undefined): Promise<UserId> {
  if (wanted === undefined) return (await workplace.call("chorus_whoami", {})).uuid as UserId
  const found = (await allMembers(workplace)).filter(
    ({ uuid, name, email }) => uuid === wanted || name === wanted || email === wanted.trim().toLowerCase(),
  )
  const [person] = found
  if (person !== undefined && found.length === 1) return person.uuid as UserId
  throw new ChorusError(
    found.length > 1 ? "ambiguous" : "not_found",
    `${found.length === 0 ? "Nobody is" : `${found.length} people are`} known as ${wanted}.`,
    {
      status: found.length > 1 ? 409 : 404,
      next: "See `chorus user list` and name one by uuid.",
    },
  )
}
