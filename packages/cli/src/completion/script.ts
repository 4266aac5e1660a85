/** The words that may follow, by the command line so far without options; "" is the beginning. */
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
      ${paths(words)
        .map((path) => path.replaceAll('"', "'"))
        .join("|")}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at" in
${[...words].map(([path, choices]) => `    '${path}') choices=(${choices.join(" ")}) ;;`).join("\n")}
  esac
  compadd -- $choices || _files
}
if [[ $funcstack[1] == _chorus ]]; then _chorus "$@"; else compdef _chorus chorus; fi
`
}

export function fishScript(words: Completions): string {
  const known = [...words.keys()].filter((path) => path !== "")
  return `function __chorus_words
  set -l at ''
  for word in (commandline -opc)[2..-1]
    string match -q -- '-*' $word; and continue
    set -l next (string trim -- "$at $word")
    contains -- $next ${known.map((path) => `'${path}'`).join(" ")}; and set at $next
  end
  switch $at
${[...words].map(([path, choices]) => `    case '${path}'\n      printf '%s\\n' ${choices.join(" ")}`).join("\n")}
  end
end
complete -c chorus -a '(__chorus_words)'
`
}

function paths(words: Completions): string[] {
  return [...words.keys()].filter((path) => path !== "").map((path) => `"${path}"`)
}
