import { existsSync, statSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { ChorusError, type ValidationReport } from "@chorus/contracts"
import { isMissing, isObject, type JsonObject, parseJson, readText, typeName } from "../read/files.ts"
import { checkContents, checkLinks, checkLooseContents, checkSkillFolders } from "./contents-check.ts"
import { checkListing } from "./listing-check.ts"
import { checkManifest, checkSurroundings } from "./manifest-check.ts"
import { checkMarketplace } from "./marketplace-check.ts"
import { checkReferences } from "./reference-check.ts"
import { Report, type FindingFile } from "./report.ts"
import { checkSecrets } from "./secret-check.ts"

const PLUGIN_FILE = ".claude-plugin/plugin.json"
const MARKETPLACE_FILE = ".claude-plugin/marketplace.json"

/** Validates a plugin, a marketplace, a folder of skills or a manifest file. Never throws for what the files hold. */
export function validatePath(
  path: string,
  options: { readonly profile?: "directory" | undefined } = {},
): ValidationReport {
  const report = new Report()
  try {
    validateTarget(report, resolve(path), path)
    if (options.profile === "directory") validateListing(report, resolve(path))
  } catch (error) {
    if (!(error instanceof ChorusError)) throw error
    report.error({ file: path }, { code: error.code, message: error.message, fix: error.next })
  }
  return report.result()
}

function validateTarget(report: Report, target: string, asked: string): void {
  const kind = kindOf(target)
  if (kind === "missing")
    return report.error({ file: asked }, { code: "target_missing", message: `There is nothing at ${asked}.` })
  if (kind === "file") return validateFile(report, target)
  const catalogue = readText(join(target, MARKETPLACE_FILE))
  const manifest = readText(join(target, PLUGIN_FILE))
  if (catalogue !== undefined) validateMarketplace(report, target, { file: MARKETPLACE_FILE, text: catalogue })
  if (manifest !== undefined) validatePlugin(report, target, { file: PLUGIN_FILE, text: manifest })
  if (catalogue !== undefined || manifest !== undefined) return
  if (basename(target) === "skills") return checkSkillFolders(report, dirname(target), "skills")
  if (basename(target) === ".claude" && checkLooseContents(report, target)) return
  if (existsSync(join(target, "skills"))) return void checkLooseContents(report, target)
  if (checkLooseContents(report, join(target, ".claude"))) return
  report.error(
    { file: asked },
    {
      code: "manifest_missing",
      message: `${asked} holds neither ${PLUGIN_FILE} nor ${MARKETPLACE_FILE}.`,
      fix: `Create ${PLUGIN_FILE} with {"name": "my-plugin"}.`,
    },
  )
}

function validateListing(report: Report, root: string): void {
  const text = readText(join(root, PLUGIN_FILE))
  const { value } = parseJson(text ?? "")
  if (isObject(value)) checkListing(report, root, { file: PLUGIN_FILE, text }, value)
}

function validateFile(report: Report, target: string): void {
  const text = readText(target) ?? ""
  const folder = dirname(target)
  const isInPlace = basename(folder) === ".claude-plugin"
  const root = isInPlace ? dirname(folder) : folder
  const file = { file: basename(target), text }
  const parsed = objectIn(report, file)
  if (parsed === undefined) return
  const isCatalogue = file.file === basename(MARKETPLACE_FILE) || Object.hasOwn(parsed, "plugins")
  if (isCatalogue) return checkMarketplace(report, file, parsed, root)
  checkManifest(report, file, parsed, { as: "plugin", root, official: false })
  if (isInPlace) checkAround(report, root, parsed)
}

function validateMarketplace(report: Report, root: string, file: FindingFile): void {
  const parsed = objectIn(report, file)
  if (parsed !== undefined) checkMarketplace(report, file, parsed, root)
}

function validatePlugin(report: Report, root: string, file: FindingFile): void {
  const parsed = objectIn(report, file)
  if (parsed === undefined) return
  checkManifest(report, file, parsed, { as: "plugin", root, official: false })
  checkAround(report, root, parsed)
}

/** What a plugin holds besides its manifest. */
function checkAround(report: Report, root: string, parsed: JsonObject): void {
  checkSurroundings(report, root)
  checkContents(report, root, parsed)
  checkLinks(report, root, marketplaceAround(root))
  checkReferences(report, root, parsed)
  checkSecrets(report, root)
}

/** The marketplace a plugin's folder lies in, or the folder itself. */
function marketplaceAround(root: string): string {
  for (let folder = root; folder !== dirname(folder); folder = dirname(folder))
    if (existsSync(join(folder, MARKETPLACE_FILE))) return folder
  return root
}

function objectIn(report: Report, file: FindingFile): JsonObject | undefined {
  const { value, fault } = parseJson(file.text ?? "")
  if (fault !== undefined) {
    report.error(file, {
      code: "json_invalid",
      path: ["json"],
      offset: faultOffset(fault),
      message: `Not valid JSON: ${fault}.`,
      fix: "Comments, trailing commas and encodings other than UTF-8 are not accepted.",
    })
    return undefined
  }
  if (isObject(value)) return value
  report.error(file, {
    code: "manifest_not_object",
    path: ["root"],
    message: `A manifest is an object; got ${typeName(value)}.`,
  })
  return undefined
}

/** V8 names the place of most syntax errors. */
function faultOffset(fault: string): number {
  return Number(/position (\d+)/.exec(fault)?.[1] ?? 0)
}

function kindOf(path: string): "file" | "directory" | "missing" {
  try {
    return statSync(path).isDirectory() ? "directory" : "file"
  } catch (error) {
    if (isMissing(error)) return "missing"
    throw error
  }
}
