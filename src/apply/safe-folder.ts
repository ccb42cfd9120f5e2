import { ConvergeError } from '../errors/converge-error.ts'
import { shell } from '../lib/next-command.ts'

/** @param line the output of \`unsafe_above\` */
export function unsafeFolder(host: string, root: string, line: string): ConvergeError {
  const [, mode = '', uid = '', folder = root] = /^(\S+) (\S+) (.*)$/.exec(line) ?? []
  const { what, close } = faultOf(mode, uid)
  const remedy = close === undefined ? `ls -ldn ${folder}` : `chmod ${close} ${folder}`
  return new ConvergeError('APPLY.LOCK_UNUSABLE', {
    summary: 'Other users of the host can modify the folder of converge. Nothing was changed there.',
    why: `On ${host}: ${folder} ${what}, and ${root} is in it, with definitions, keys and rollback scripts.`,
    next: [
      shell(`ssh ${host} ${remedy}`, { say: close === undefined ? 'Look at it:' : 'Close it:' }),
      'Or set converge_dir to a folder that only its account and root can change.',
    ],
  })
}

/** What is wrong with a folder of this mode and owner, and the chmod argument that fixes it; absent: none does. */
function faultOf(mode: string, uid: string): { readonly what: string; readonly close?: string } {
  if (mode === 'unknown') return { what: 'cannot be read' }
  if (/^.{8}w/.test(mode)) return { what: `is writable by every user (${mode})`, close: 'go-w' }
  if (/^.{5}w/.test(mode)) return { what: `is writable by its group (${mode})`, close: 'g-w' }
  return { what: `belongs to another account (user ${uid})` }
}
