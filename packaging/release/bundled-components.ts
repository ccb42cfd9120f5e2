/** The parts of a CycloneDX document of npm that are used here. */
export interface Bill {
  readonly bomFormat?: string
  readonly metadata: { readonly component: { readonly 'bom-ref': string } }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[]
}

interface Component {
  readonly 'bom-ref': string
  readonly name: string
  readonly version: string
  readonly scope?: string
  readonly properties?: readonly { readonly name: string; readonly value: string }[]
}

/** Names and versions of the packages that the text of their licences lists, as `thirdPartyLicences` writes it: `NAME VERSION`. */
export function listedPackages(licences: string): ReadonlySet<string> {
  return new Set([...licences.matchAll(/^-{80}\n(\S+ \S+) \(/gm)].map(([, name = '']) => name))
}

/**
 * What the program contains, out of what its repository installs: to npm, all of it is for development.
 *
 * @param bundled `NAME VERSION`
 * @throws Error if a bundled package is not in the document
 */
export function bundledComponents(bill: Bill, bundled: ReadonlySet<string>): Bill {
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
  return { ...bill, components, dependencies }
}
