import type { Fleet, SecretReference } from '../model/fleet.ts'

/**
 * How the names of a service's environment variables begin, by `host/service`: `CODER_NAS`. Each differs, whichever services are selected, and
 * none is that of a variable from which the key of another is read.
 */
export function prefixesOf(fleet: Fleet): ReadonlyMap<string, string> {
  const keys = namedVariables(fleet)
  const taken = new Set<string>()
  const entries = fleet.hosts.flatMap((host) =>
    host.services.map(({ name, key }): readonly [string, string] => {
      const own = key !== undefined && 'env' in key ? key.env : undefined
      const prefix = free(
        upper(`${name}_${host.name}`),
        (one) => taken.has(one) || variablesOf(one).some((variable) => variable !== own && keys.has(variable)),
      )
      taken.add(prefix)
      return [`${host.name}/${name}`, prefix]
    }),
  )
  return new Map(entries)
}

/** The variable that holds a key: that of its reference, or else one of the service's own. */
export function variableOf(reference: SecretReference, prefix: string): string {
  return 'env' in reference ? reference.env : `${prefix}_API_KEY`
}

function variablesOf(prefix: string): readonly string[] {
  return ['BASE_URL', 'MODEL', 'API_KEY'].map((end) => `${prefix}_${end}`)
}

function namedVariables({ hosts }: Fleet): ReadonlySet<string> {
  const references = hosts.flatMap(({ services }) => services.flatMap(({ key }) => key ?? []))
  return new Set(references.flatMap((reference) => ('env' in reference ? [reference.env] : [])))
}

function free(name: string, isTaken: (name: string) => boolean): string {
  let count = 1
  let one = name
  while (isTaken(one)) {
    count += 1
    one = `${name}_${count}`
  }
  return one
}

/** Letters of other scripts become `_` too, so two names may become one. */
function upper(name: string): string {
  const plain = name.toUpperCase().replace(/[^A-Z0-9]/g, '_')
  return /^\d/.test(plain) ? `_${plain}` : plain
}
