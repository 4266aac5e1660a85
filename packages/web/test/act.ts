import React from "react"
import { flushSync } from "react-dom"

/** React as people have it knows no `act`: what a test renders is there, with its effects, when the call is over. */
Object.assign(React, { act: (render: () => Promise<void>) => flushSync(render) })
