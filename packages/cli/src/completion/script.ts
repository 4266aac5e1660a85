/** The words that may follow, by the command line so far without options, or with the one whose value is next; "" is the beginning. */
export type Completions = Map<string, readonly string[]>

// The scripts hold all words, so that pressing Tab starts no program. Words are ours: letters, digits, dashes and underscores.

export function bashScript(words: Completions): string {
  return `_chorus() {
  local path="" word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    [[ $word == -* ]] && continue
    case "\${path:+$path }$word" in
      ${paths(words).join("|")}) path="\${path:+$path }$word" ;;
    esac
  done
  word="$path \${COMP_WORDS[COMP_CWORD - 1]}"
  case "$word" in
    ${valued(words).join("|")}) path="$word" ;;
  esac
  local choices
  case "$path" in
${[...words].map(([path, choices]) => `    "${path}") choices="${choices.join(" ")}" ;;`).join("\n")}
  esac
  COMPREPLY=($(compgen -W "$choices" -- "\${COMP_WORDS[COMP_CWORD]}"))
  [[ \${#COMPREPLY[@]} -eq 0 ]] && COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _chorus chorus
`
}

export function zshScript(words: Completions): string {
  return `#compdef chorus
_chorus() {
  local at="" word
  local -a choices
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ $word == -* ]] && continue
    case "\${at:+$at }$word" in
      ${single(paths(words)).join("|")}) at="\${at:+$at }$word" ;;
    esac
  done
  word="$at \${words[CURRENT-1]}"
  case "$word" in
    ${single(valued(words)).join("|")}) at="$word" ;;
  esac
  case "$at" in
${[...words].map(([path, choices]) => `    '${path}') choices=(${choices.join(" ")}) ;;`).join("\n")}
  esac
  compadd -- $choices || _files
}
if [[ $funcstack[1] == _chorus ]]; then _chorus "$@"; else compdef _chorus chorus; fi
`
}

export function fishScript(words: Completions): string {
  return `function __chorus_words
  set -l at ''
  for word in (commandline -opc)[2..-1]
    string match -q -- '-*' $word; and continue
    set -l next (string trim -- "$at $word")
    contains -- $next ${single(paths(words)).join(" ")}; and set at $next
  end
  set -l valued "$at "(commandline -opc)[-1]
  contains -- $valued ${single(valued(words)).join(" ")}; and set at $valued
  switch $at
${[...words].map(([path, choices]) => `    case '${path}'\n      printf '%s\\n' ${choices.join(" ")}`).join("\n")}
  end
end
complete -c chorus -a '(__chorus_words)'
`
}

const OPTION = / --/

function paths(words: Completions): string[] {
  return [...words.keys()].filter((path) => path !== "" && !OPTION.test(path)).map((path) => `"${path}"`)
}

/** Lines that end with an option whose values are known. */
function valued(words: Completions): string[] {
  return [...words.keys()].filter((path) => OPTION.test(path)).map((path) => `"${path}"`)
}

function single(quoted: readonly string[]): string[] {
  return quoted.map((path) => path.replaceAll('"', "'"))
}
