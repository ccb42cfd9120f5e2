import type { Answer } from '../answer.ts'
import { mostCandidates, type Shell } from './shell.ts'

const script = `#compdef converge
# Completion of converge for zsh. To install it, put this line into ~/.zshrc, after compinit:
#
#   eval "$(converge completion zsh)"
#
# or write it once into a folder of $fpath, under this name, and start a new shell:
#
#   converge completion zsh > FOLDER/_converge

_converge() {
  local -x CONVERGE_INVENTORY=$CONVERGE_INVENTORY
  local line value shown ret=1
  local -a match mbegin mend lines closed closed_shown open open_shown
  local -a how=(-V converge -M 'm:{[:lower:]}={[:upper:]}')
  if [[ $LBUFFER =~ '(^|[ ;&|])CONVERGE_INVENTORY=([^ ]+) +converge ' ]]; then CONVERGE_INVENTORY=\${(Q)match[2]}; fi
  lines=("\${(@f)$(command converge complete zsh "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null </dev/null)}")
  case $lines[1] in
    files | folders)
      compset -p $#lines[2]
      if [[ $lines[1] == folders ]]; then _files -/; else _files -g "$lines[3]"; fi
      return
      ;;
    rows) how+=(-l) ;;
  esac
  for line in "\${(@)lines[2,-1]}"; do
    shown=\${line##*$'\\t'}
    value=\${\${line#*$'\\t'}%$'\\t'*}
    if [[ $line == open* ]]; then
      open+=("$value") open_shown+=("\${shown[1,COLUMNS-1]}")
    else
      closed+=("$value") closed_shown+=("\${shown[1,COLUMNS-1]}")
    fi
  done
  (( $#closed )) && compadd $how -d closed_shown -a closed && ret=0
  (( $#open )) && compadd $how -d open_shown -S '' -a open && ret=0
  return ret
}

if [[ $funcstack[1] == _converge ]]; then
  _converge "$@"
elif (( $+functions[compdef] )); then
  compdef _converge converge
fi
`

/** The words before the cursor and the one at it. */
function read(args: readonly string[]) {
  return { words: args.slice(0, -1), current: args.at(-1) ?? '' }
}

/** A candidate a line: whether more may follow, what is inserted, what is shown. */
function render(answer: Answer): string {
  if ('paths' in answer) {
    const { paths, prefix, endings } = answer
    return [paths, prefix, endings.length === 0 ? '*' : `*.(${endings.join('|')})`, ''].join('\n')
  }
  const candidates = answer.candidates.slice(0, mostCandidates)
  const width = Math.max(...candidates.map(({ value }) => value.length))
  const lines = candidates.map(({ value, about, isOpen = false }) =>
    [isOpen ? 'open' : 'closed', value, about === '' ? value : `${value.padEnd(width)}  -- ${about}`].join('\t'),
  )
  return [candidates.some(({ about }) => about !== '') ? 'rows' : 'columns', ...lines, ''].join('\n')
}

export const zsh: Shell = { script, read, render }
