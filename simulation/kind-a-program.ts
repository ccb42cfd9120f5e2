import { pathOf } from './tool-socket.ts'

/**
 * The lines of a program that is a Kind A. Asked for its version or its flags, as each look does, it says what it says to whoever names no
 * model: starting Node for that twice a look would take a third of all that a simulated machine takes.
 */
export function kindALines(): string {
  const untold = `case "\${1-}" in --version | --help) echo "error: failed to open GGUF file ''"; exit 1 ;; esac`
  return `${untold}\nexec '${process.execPath}' '${pathOf('./model-server.ts')}' "$0" "$@"`
}
