import { describe, expect, it } from "vitest"
import { describeAnswer, describeInput } from "../../test/contract.ts"
import { AT, PAGE, PAGED } from "../../test/examples.ts"
import {
  type FieldRule,
  flag,
  line,
  nullable,
  oneOf,
  optional,
  OTHER,
  paging,
  TASK,
  uuid,
  whole,
} from "../../test/field-rule.ts"
import {
  createSignInLink,
  Email,
  endSignIn,
  endSignIns,
  getMe,
  inviteMember,
  listSignIns,
  MemberRow,
  SignInRow,
  updateMe,
  updateMember,
} from "./people.ts"

const PERSON = TASK
const ROLES = ["owner", "admin", "member", "viewer"]
const address: FieldRule = {
  says: "is an address",
  takes: ["ada@example.org", "Ada.L+tag@Sub.Example.ORG", " ada@example.org "],
  refuses: [
    "",
    "ada",
    "ada@",
    "@example.org",
    "ada@example",
    "a b@example.org",
    "ada@example.org, eve@example.org",
    "ada@example.org\nBcc: eve@example.org",
    7,
    null,
  ],
}

const member: MemberRow = {
  uuid: PERSON,
  name: "Ada",
  email: "ada@example.org",
  role: "owner",
  createdAt: AT,
  disabledAt: AT,
}

describe("an e-mail address", () => {
  it("is kept in lower case and without blanks around it, so that one person is not two", () => {
    expect(Email.parse("  Ada@Example.ORG ")).toBe("ada@example.org")
  })

  it("has at most 254 characters", () => {
    const domain = `${"d".repeat(59)}.example.org`
    const ofLength = (length: number) => `${"a".repeat(length - domain.length - 1)}@${domain}`
    expect(Email.safeParse(ofLength(254)).success).toBe(true)
    expect(Email.safeParse(ofLength(255)).success).toBe(false)
  })
})

describeInput(inviteMember, {
  smallest: { name: "Ada" },
  becomes: { name: "Ada", role: "member", expiresInHours: 24 },
  fields: {
    name: line(80),
    email: optional(address),
    role: optional(oneOf(...ROLES)),
    expiresInHours: optional(whole(1, 168)),
  },
})

describeInput(updateMember, {
  smallest: { userUuid: PERSON },
  fields: {
    userUuid: uuid,
    name: optional(line(80)),
    email: optional(nullable(address)),
    role: optional(oneOf(...ROLES)),
    disabled: optional(flag),
    resetPassword: optional({ says: "can only be asked for", takes: [true], refuses: [false, "true", null] }),
  },
})

describe("changing a person", () => {
  it("changes no role, address or standing that was not named", () => {
    expect(updateMember.input.parse({ userUuid: PERSON, name: "Ada L." })).toEqual({ userUuid: PERSON, name: "Ada L." })
  })

  it("is for those who run the workspace; oneself one may rename", () => {
    expect([inviteMember, updateMember, createSignInLink].map(({ needs }) => needs)).toEqual([
      "steward",
      "steward",
      "steward",
    ])
    expect(updateMe.needs).toBe("anyone")
  })

  it("cannot be done by an agent's tool", () => {
    const tools = [
      inviteMember,
      updateMember,
      createSignInLink,
      getMe,
      updateMe,
      listSignIns,
      endSignIn,
      endSignIns,
    ].map(({ tool }) => tool)
    expect(new Set(tools)).toEqual(new Set(["none"]))
  })
})

describeInput(createSignInLink, { smallest: { userUuid: PERSON }, fields: { userUuid: uuid } })

describeInput(getMe, { smallest: {}, fields: {} })

describeInput(updateMe, { smallest: {}, fields: { name: optional(line(80)), email: optional(nullable(address)) } })

describeInput(listSignIns, { smallest: {}, becomes: PAGE, fields: paging })

describeInput(endSignIn, { smallest: { signInUuid: OTHER }, fields: { signInUuid: uuid } })

describeInput(endSignIns, { smallest: {}, fields: { keepSignInUuid: optional(uuid) } })

describeAnswer("MemberRow", MemberRow, member, { mayBeNull: ["email", "disabledAt"] })

describeAnswer(
  "SignInRow",
  SignInRow,
  { uuid: OTHER, userAgent: "Firefox", createdAt: AT, lastUsedAt: AT, expiresAt: AT },
  { mayBeNull: ["userAgent"] },
)

describeAnswer(
  "of chorus_get_me",
  getMe.output,
  { ...member, hasPassword: true, hasOidc: false },
  { mayBeNull: ["email", "disabledAt"] },
)

describeAnswer("of chorus_invite_member", inviteMember.output, { member, signInPath: "/sign-in#abc", expiresAt: AT })

describeAnswer("of chorus_list_sign_ins", listSignIns.output, {
  signIns: [{ uuid: OTHER, userAgent: null, createdAt: AT, lastUsedAt: AT, expiresAt: AT }],
  ...PAGED,
})

describeAnswer("of chorus_end_sign_ins", endSignIns.output, { ended: 2 })

describe("what is told about a person", () => {
  it("holds no password, whatever the store has", () => {
    expect(MemberRow.parse({ ...member, passwordHash: "secret", oidcSubject: "42" })).toEqual(member)
    expect(SignInRow.shape).not.toHaveProperty("hash")
  })
})
