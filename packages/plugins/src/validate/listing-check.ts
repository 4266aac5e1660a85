import { join } from "node:path"
import { type JsonObject, kindInside, own, readText } from "../read/files.ts"
import type { FindingFile, Report } from "./report.ts"

const README = ["README.md", "README", "readme.md", "Readme.md"]
const LICENSE = ["LICENSE", "LICENSE.md", "LICENSE.txt", "LICENCE", "COPYING"]
const ICON = /\.(png|jpe?g|svg|webp)$/i
const ADDRESSES = ["homepage", "repository", "documentationUrl", "supportUrl", "privacyPolicyUrl", "termsOfServiceUrl"]
/** A README shorter than this says nothing a stranger can use. */
const TRIVIAL = 200

/**
 * What Anthropic's public directory asks of a plugin beyond being valid. What it refuses is an error here, what it
 * dislikes a warning.
 */
export function checkListing(report: Report, root: string, file: FindingFile, manifest: JsonObject): void {
  const readme = README.map((name) => readText(join(root, name))).find((text) => text !== undefined)
  if (readme === undefined)
    report.error(
      { file: "README.md" },
      {
        code: "README_MISSING",
        message: "The directory refuses a plugin without a README.",
        fix: "Write README.md: what it does, how it is used, what it needs.",
      },
    )
  else if (readme.replaceAll(/[#\s*_`-]+/g, " ").trim().length < TRIVIAL)
    report.error(
      { file: "README.md", text: readme },
      {
        code: "README_TRIVIAL",
        message: "The README says next to nothing.",
        fix: "Say what it does, how it is used and what it needs.",
      },
    )
  const license = own(manifest, "license")
  const isNamed = typeof license === "string" && license.trim() !== ""
  if (!isNamed && !LICENSE.some((name) => kindInside(root, name) === "file"))
    report.error(
      { file: "LICENSE" },
      {
        code: "LICENSE_MISSING",
        message: "The directory refuses a plugin without a licence.",
        fix: 'Add LICENSE, or "license": "MIT" or another SPDX id to plugin.json.',
      },
    )
  checkIcon(report, root, file, own(manifest, "icon"))
  if (typeof own(manifest, "privacyPolicyUrl") !== "string")
    report.warning(file, {
      code: "PRIVACY_URL_MISSING",
      path: ["privacyPolicyUrl"],
      message: "There is no privacy policy.",
      fix: 'Add "privacyPolicyUrl": "https://…".',
    })
  for (const key of ADDRESSES) {
    const address = own(manifest, key)
    if (typeof address === "string" && !/^https:\/\//i.test(address))
      report.warning(file, {
        code: "LISTING_URL_SCHEME",
        path: [key],
        message: `${key} is not an https address.`,
        fix: "Write https://host/path.",
      })
  }
  const name = own(manifest, "name")
  // oxlint-disable-next-line no-control-regex -- exactly the characters that are plain ASCII
  if (typeof name === "string" && !/^[\u0000-\u007F]*$/.test(name))
    report.warning(file, {
      code: "IDENTIFIER_NON_ASCII",
      path: ["name"],
      message: `The name "${name}" has letters that are not ASCII.`,
      fix: "Use a-z, 0-9 and hyphens.",
    })
}

function checkIcon(report: Report, root: string, file: FindingFile, icon: unknown): void {
  const at = { path: ["icon"] }
  if (icon === undefined)
    return report.warning(file, {
      code: "ICON_MISSING",
      ...at,
      message: "There is no icon.",
      fix: 'Add "icon": "./icon.png".',
    })
  const good = typeof icon === "string" && ICON.test(icon) && kindInside(root, icon) === "file"
  if (!good)
    report.warning(file, {
      code: "ICON_INVALID",
      ...at,
      message: "The icon is not a picture in the plugin.",
      fix: "Name a .png, .jpg, .svg or .webp file of the plugin.",
    })
}
