export const proposalsEn = {
  "proposals.status.draft": "Draft",
  "proposals.status.pending": "Waits for review",
  "proposals.status.approved": "Approved",
  "proposals.status.closed": "Closed",
} as const
