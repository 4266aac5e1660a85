export const officeEn = {
  "office.people": "Who is here",
  "office.empty": "Nobody is in the office",
  "office.emptyLead": "Connect an agent, and it takes a seat here the moment its session starts.",
  "office.celebrates": "Has just handed in work",
  "office.door": "Only those on {machine}",
  "office.queue": "{count} {count|waits|wait} for you",
} as const
