import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { binariesFor, serverAccount } from "./postgres-binaries.ts"
import { temporaryDirectory } from "./temporary-directory.ts"

const nobody = { uid: 65534, gid: 65534 }

/** A PostgreSQL of one file and one link, in a folder that others may enter or not. */
function installation(mode: number): { binaries: string; target: string } {
  const directory = temporaryDirectory()
  onTestFinished(directory.remove)
  const home = join(directory.path, "postgresql-18")
  const target = join(directory.path, "target")
  for (const folder of [home, join(home, "bin"), join(home, "lib"), target]) mkdirSync(folder)
  writeFileSync(join(home, "bin", "postgres"), "program", { mode: 0o755 })
  symlinkSync("libpq.so.5", join(home, "lib", "libpq.so"))
  chmodSync(directory.path, 0o755)
  chmodSync(home, mode)
  return { binaries: join(home, "bin"), target }
}

describe("PostgreSQL's programs", () => {
  test("are used where they lie when the server runs as oneself", () => {
    const { binaries, target } = installation(0o700)
    expect(binariesFor(undefined, binaries, target)).toBe(binaries)
    expect(existsSync(join(target, "postgresql"))).toBe(false)
  })

  test("are copied, links as links, to where another account may run them", () => {
    const { binaries, target } = installation(0o700)
    const copy = binariesFor(nobody, binaries, target)
    expect(copy).toBe(join(target, "postgresql", "bin"))
    expect(readFileSync(join(copy, "postgres"), "utf8")).toBe("program")
    expect(lstatSync(join(copy, "postgres")).mode & 0o111).not.toBe(0)
    expect(readlinkSync(join(target, "postgresql", "lib", "libpq.so"))).toBe("libpq.so.5")
  })

  test("run as another account than root, which PostgreSQL refuses", () => {
    const account = serverAccount()
    expect(process.getuid?.() === 0 ? account?.uid : undefined).not.toBe(0)
    expect(account === undefined).toBe(process.getuid?.() !== 0)
  })
})
