/**
 * Lets style elements that our own code makes pass the page's policy: each gets the nonce of this answer.
 * Styles that come with a piece of HTML have none and stay refused.
 */
export function startStyleNonce(): void {
  const nonce = document.querySelector<HTMLElement>("meta[property=csp-nonce]")?.nonce
  if (nonce === undefined || nonce === "") return
  const make = document.createElement.bind(document) as (name: string, options?: ElementCreationOptions) => HTMLElement
  const makeWithNonce = (name: string, options?: ElementCreationOptions) => {
    const element = make(name, options)
    if (name.toLowerCase() === "style") element.nonce = nonce
    return element
  }
  document.createElement = makeWithNonce as typeof document.createElement
}
