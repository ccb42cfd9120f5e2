import { type NewFiles, type NewHost, newInventory, withHeading } from './new-inventory.ts'

interface Example {
  readonly host: NewHost
  /** What the machine is, for people. */
  readonly words: string
  readonly services: string
}

/** Inventories to start from, of one host with one service each. */
export const examples: Readonly<Record<string, Example>> = {
  mac: {
    host: { name: 'mini', user: 'op', platform: 'macos', ramGb: 32 },
    words: 'A Mac. Its servers are agents of launchd, which belong to the account that logs in.',
    services: `services:
  coder:
    kind: A # a GGUF server in the style of llama-server
    port: 9990
    host: 127.0.0.1 # reachable only from the machine itself; without this line, from the network
    executable: /opt/homebrew/bin/llama-server
    model: { path: /Users/op/models/coder.gguf } # exact and absolute
    ctx_size: 16384
    api_key: { env: CODER_KEY } # where to find the key, not the key itself
`,
  },
  nas: {
    host: { name: 'nas', user: 'admin', root: 'sudo', platform: 'linux', ramGb: 64 },
    words: 'A NAS with Docker. Its servers are containers, which Docker Compose runs.',
    services: `# converge_dir: /volume1/converge # if an update of the NAS deletes /etc/converge
services:
  helper:
    kind: A # a GGUF server in the style of llama-server
    port: 9996
    host: 127.0.0.1 # reachable only from the machine itself; without this line, from the network
    model: { path: /volume1/models/helper.gguf } # exact and absolute, on the NAS
    ctx_size: 16384
    threads: 8
    api_key: { env: HELPER_KEY } # where to find the key, not the key itself
`,
  },
  box: {
    host: { name: 'box', user: 'op', root: 'sudo', platform: 'linux', ramGb: 64 },
    words: 'A Linux machine. Its server is a unit of systemd.',
    services: `services:
  coder:
    kind: A # a GGUF server in the style of llama-server
    manager: systemd # without this line, Docker Compose runs it
    port: 9996
    host: 127.0.0.1 # reachable only from the machine itself; without this line, from the network
    executable: /usr/local/bin/llama-server
    model: { path: /srv/models/coder.gguf } # exact and absolute, on the machine
    ctx_size: 16384
    api_key: { env: CODER_KEY } # where to find the key, not the key itself
`,
  },
}

export function exampleInventory({ host, words, services }: Example, org: string): NewFiles {
  return {
    ...newInventory([host], { org }),
    [`host_vars/${host.name}.yaml`]: withHeading(services, words, 'All fields: `converge schema inventory`.'),
  }
}
