import type { Answer, Candidate } from '../answer.ts'
import { mostCandidates, type Shell } from './shell.ts'
import { splitTyped, type TypedWords } from './typed-words.ts'

const script = `# Completion of converge for bash. To install it, put this line into ~/.bashrc:
#
#   eval "$(converge completion bash)"
#
# or, if you have the package bash-completion, write it once:
#
#   mkdir -p ~/.local/share/bash-completion/completions
#   converge completion bash > ~/.local/share/bash-completion/completions/converge

_converge() {
  local kind='' prefix='' path='' pattern='' line
  COMPREPLY=()
  {
    IFS= read -r kind
    case $kind in
    files | folders)
      IFS= read -r prefix
      IFS= read -r path
      IFS= read -r pattern
      ;;
    esac
    while IFS= read -r line; do COMPREPLY+=("$line"); done
  } < <(command converge complete bash "\${COLUMNS:-80}" "\${COMP_TYPE:-9}" "$2" "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null </dev/null)
  case $kind in
  open)
    compopt -o nospace -o nosort 2>/dev/null
    ;;
  words)
    compopt -o nosort 2>/dev/null
    ;;
  files | folders)
    compopt -o filenames 2>/dev/null
    while IFS= read -r line; do
      if [[ -d \${line/#\\~\\//$HOME/} || ($kind == files && $line =~ $pattern) ]]; then COMPREPLY+=("$prefix$line"); fi
    done < <(compgen -f -- "$path")
    ;;
  esac
  return 0
}

complete -F _converge converge
`

/** COLUMNS, COMP_TYPE, the part of the last word that bash replaces, and the command line up to the cursor. */
type Args = readonly string[]

function read([, , , line = '']: Args) {
  const { words, current } = splitTyped(line)
  return { words: words.slice(1), current }
}

function render(answer: Answer, [columns, type, replaced = '', line = '']: Args): string {
  const typed = splitTyped(line)
  const kept = keptOf(typed, replaced)
  if ('paths' in answer) {
    const { paths, endings, prefix } = answer
    const path = typed.current.slice(prefix.length)
    const pattern = endings.length === 0 ? '' : String.raw`\.(${endings.join('|')})$`
    return [paths, escapedIn(typed.quote, prefix.slice(kept.length)), path, pattern, ''].join('\n')
  }
  const found = startingWith(answer.candidates, typed.current).filter(({ value }) => value.startsWith(kept))
  const texts = found.slice(0, mostCandidates).map(({ value }) => escapedIn(typed.quote, value.slice(kept.length)))
  const isMenu = type === '37' || type === '42'
  const shown = found.length === 1 || isMenu ? texts : withAbout(texts, found, Number(columns))
  const kind = found.length > 0 && found.every(({ isOpen }) => isOpen === true) ? 'open' : 'words'
  return [kind, ...shown, ''].join('\n')
}

/** What bash leaves as it is: it replaces a word only from the last of some characters on, such as `=` and `:`. */
function keptOf({ raw, current }: TypedWords, replaced: string): string {
  if (!raw.endsWith(replaced)) return ''
  const kept = splitTyped(raw.slice(0, raw.length - replaced.length)).current
  return current.startsWith(kept) ? kept : ''
}

/** Those that continue what is typed; if there are none, in whatever case. */
function startingWith(candidates: readonly Candidate[], text: string): readonly Candidate[] {
  const same = candidates.filter(({ value }) => value.startsWith(text))
  if (same.length > 0) return same
  const lower = text.toLowerCase()
  return candidates.filter(({ value }) => value.toLowerCase().startsWith(lower))
}

/** bash inserts candidates as they are. */
function escapedIn(quote: TypedWords['quote'], text: string): string {
  if (quote === "'") return text.replaceAll("'", String.raw`'\''`)
  if (quote === '"') return text.replace(/["\\$`]/g, String.raw`\$&`)
  return text.replace(/[^\p{L}\p{N}_.,/@:=%+-]/gu, String.raw`\$&`)
}

/**
 * bash lists what it inserts. Of several candidates it inserts only the beginning that all have, and that ends before these words.
 */
function withAbout(texts: readonly string[], candidates: readonly Candidate[], columns: number): readonly string[] {
  const width = Math.max(...texts.map((text) => text.length))
  const room = columns - width - 5
  if (!(room >= 16)) return texts
  return texts.map((text, index) => {
    const about = candidates[index]?.about ?? ''
    return about === '' ? text : `${text.padEnd(width)}  (${about.length > room ? `${about.slice(0, room - 1)}…` : about})`
  })
}

export const bash: Shell = { script, read, render }
