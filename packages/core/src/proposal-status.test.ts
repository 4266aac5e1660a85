import { proposals } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { afterStep, isOwnProposal, type ProposalStep } from "./proposal-status.ts"

describe("afterStep", () => {
  const allowed: Record<ProposalStep, Partial<Record<proposals.ProposalStatus, proposals.ProposalStatus>>> = {
    submit: { draft: "pending" },
    approve: { pending: "approved" },
    reject: { pending: "draft" },
    revoke: { approved: "draft" },
    close: { draft: "closed", pending: "closed" },
  }

  for (const step of Object.keys(allowed) as ProposalStep[]) {
    it.each(proposals.ProposalStatus.options)(`${step} from %s`, (from) => {
      expect(afterStep(step, from)).toBe(allowed[step][from])
    })
  }
})

describe("isOwnProposal", () => {
  const agent = { type: "agent", uuid: "1" }
  const other = { type: "agent", uuid: "2" }
  const person = { type: "user", uuid: "1" }

  it("is the creator's and the submitter's, agent or person", () => {
    expect(isOwnProposal(agent, [other, agent], [])).toBe(true)
    expect(isOwnProposal(person, [person], [])).toBe(true)
  })

  it("does not mistake a person for an agent with the same id", () => {
    expect(isOwnProposal(person, [agent], [])).toBe(false)
  })

  it("counts an agent's edits as its own work, but not a person's touch-up", () => {
    expect(isOwnProposal(agent, [other], [agent])).toBe(true)
    expect(isOwnProposal(person, [other], [person])).toBe(false)
  })
})
