import { describeInput } from "../../test/contract.ts"
import { number, optional, uuid, whole } from "../../test/field-rule.ts"
import { inbox } from "./inbox.ts"

describeInput(inbox, {
  smallest: {},
  fields: {
    after: optional(whole(0, Number.MAX_SAFE_INTEGER)),
    projectUuid: optional(uuid),
    wait_seconds: optional(number(0, 300)),
  },
})
