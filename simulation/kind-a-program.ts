import { becomes } from './node-program.ts'

/**
 * The lines of a Kind A program. With `--version` or `--help`, which every probe calls, it prints the same error as without a
 * model: starting Node for that twice per probe would take a third of the time of a simulated machine.
 */
export function kindALines(): string {
  const earlyExit = `case "\${1-}" in --version | --help) echo "error: failed to open GGUF file ''"; exit 1 ;; esac`
  return `${earlyExit}\n${becomes('./model-server.ts')} "$0" "$@"`
}
