import type { Answer } from '../answer.ts'
import { mostCandidates, type Shell } from './shell.ts'
import { splitTyped } from './typed-words.ts'

const script = `# Completion of converge for fish. To install it, run this once:
#
#   converge completion fish > ~/.config/fish/completions/converge.fish

function __converge_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (command converge complete fish $words[2..] "$current" 2>/dev/null </dev/null)
    switch "$lines[1]"
        case words
            printf '%s\\n' $lines[2..]
        case files folders
            set -l home (string match -qr '^~/' -- $lines[3]; and echo $HOME/)
            set -l typed (string replace -r '^~/' "$home" -- $lines[3])
            for path in $typed*
                set -l shown $lines[2]$path
                if set -q home[1]
                    set shown $lines[2]'~/'(string sub -s (math 1 + (string length -- $home)) -- $path)
                end
                if test -d $path
                    echo $shown/
                else if test $lines[1] = files; and string match -qr -- $lines[4] $path
                    echo $shown
                end
            end
    end
end

complete -c converge -e
complete -c converge -f -k -a '(__converge_complete)'
`

/** The words before the cursor, and the one at it as it was typed. */
function read(args: readonly string[]) {
  return { words: args.slice(0, -1), current: splitTyped(args.at(-1) ?? '').current }
}

function render(answer: Answer, args: readonly string[]): string {
  if ('paths' in answer) {
    const { paths, prefix, endings } = answer
    const pattern = endings.length === 0 ? '' : String.raw`\.(${endings.join('|')})$`
    return [paths, prefix, read(args).current.slice(prefix.length), pattern, ''].join('\n')
  }
  const lines = answer.candidates.slice(0, mostCandidates).map(({ value, about }) => `${value}\t${about}`)
  return ['words', ...lines, ''].join('\n')
}

export const fish: Shell = { script, read, render }
