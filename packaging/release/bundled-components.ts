/** The parts of a CycloneDX document of npm that are used here. */
export interface Bill {
  readonly bomFormat?: string
  readonly metadata: { readonly component: Component }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[]
}

interface Component {
  readonly 'bom-ref': string
  readonly name: string
  readonly version: string
  readonly type?: string
  readonly description?: string
  readonly purl?: string
  readonly scope?: string
  readonly properties?: readonly { readonly name: string; readonly value: string }[]
}

/** Names and versions of the packages that the text of their licences lists, as `thirdPartyLicences` writes it: `NAME VERSION`. */
export function listedPackages(licences: string): ReadonlySet<string> {
  return new Set([...licences.matchAll(/^-{80}\n(\S+ \S+) \(/gm)].map(([, name = '']) => name))
}

export interface Released {
  /** Of the package: npm takes the name of the folder. */
  readonly name: string
  readonly version: string
  /** The version of Node in single binaries. */
  readonly node: string
}

/**
 * What the program contains, out of what its repository installs: to npm, all of it is for development.
 *
 * @param bundled `NAME VERSION`
 * @throws Error if a bundled package is not in the document
 */
export function bundledComponents(bill: Bill, bundled: ReadonlySet<string>, released: Released): Bill {
  const components = bill.components
    .filter(({ name, version }) => bundled.has(`${name} ${version}`))
    .map(({ scope: _scope, properties = [], ...component }) => ({
      ...component,
      properties: properties.filter(({ name }) => name !== 'cdx:npm:package:development'),
    }))
  const found = new Set(components.map(({ name, version }) => `${name} ${version}`))
  const missing = [...bundled].filter((one) => !found.has(one))
  if (missing.length > 0 || bundled.size === 0) throw new Error(`npm sbom does not know ${missing.join(', ') || 'any package'}`)
  const root = bill.metadata.component['bom-ref']
  const refs = new Set([root, ...components.map((component) => component['bom-ref'])])
  const dependencies = bill.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }))
  const { name, version, node } = released
  const description = 'in the single binaries, debs and container images'
  const runtime = {
    'bom-ref': `node@${node}`,
    type: 'platform',
    name: 'node',
    version: node,
    description,
    purl: `pkg:generic/node@${node}`,
  }
  const metadata = { ...bill.metadata, component: { ...bill.metadata.component, type: 'application', name, version } }
  return { ...bill, metadata, components: [...components, runtime], dependencies }
}
