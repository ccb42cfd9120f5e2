/** Starts the lab for work by hand: node test/lab/up.ts [HOST…]; Ctrl-C ends it. */
import { once } from 'node:events'
import { writeExampleInventory } from './example-inventory.ts'
import { type HostWanted, STANDARD_HOSTS, startLab } from './hosts.ts'

const names = process.argv.slice(2)
const wanted = names.length === 0 ? STANDARD_HOSTS : STANDARD_HOSTS.filter(({ name }) => isWanted(name))
const started = Date.now()
const lab = await startLab(wanted)
const inventory = await writeExampleInventory(lab)

console.log(`hosts       ${lab.hosts.map(({ name, address, port }) => `${name} (${address}:${port})`).join(', ')}`)
console.log(`ssh         ssh -F ${lab.sshConfigFile} ${lab.hosts[0]?.name}`)
console.log(`inventory   ${inventory}`)
console.log(`started in  ${((Date.now() - started) / 1000).toFixed(1)} s; Ctrl-C ends it`)

// A pending promise alone does not keep Node alive.
const alive = setInterval(() => undefined, 60_000)
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM'), once(process, 'SIGHUP')])
clearInterval(alive)
await lab.stop()

/** A host that hides behind a bastion brings it along. */
function isWanted(name: HostWanted['name']): boolean {
  return names.includes(name) || STANDARD_HOSTS.some((host) => host.behind === name && names.includes(host.name))
}
