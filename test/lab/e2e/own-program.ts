import { realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type LabHost, mustExec } from '../host.ts'
import { command } from './converge.ts'

const folder = '/opt/converge'

/** On a host that has it: a single binary, or Node and the program. */
export const programOnHost = command.length === 1 ? `${folder}/converge` : `${folder}/node ${folder}/dist/main.js`

/** Gives a host the program of its own, for every user. */
export async function putProgram(host: LabHost): Promise<void> {
  await mustExec(host, `mkdir -p ${folder}`)
  const [starter = '', program] = command
  await host.copyIn(await realpath(starter), /^\S+/.exec(programOnHost)?.[0] ?? '')
  if (program !== undefined) {
    await host.copyIn(dirname(program), `${folder}/dist`)
    await mustExec(host, `echo '{ "type": "module" }' >${folder}/package.json`)
  }
  await mustExec(host, `chmod -R a+rX ${folder}`)
}
