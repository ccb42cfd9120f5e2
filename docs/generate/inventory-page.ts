import { managers } from '../../src/managers/index.ts'
import { anchor, type Page, prose } from './markdown.ts'
import { fieldsTable, type Part, partIn, recordOf, type Surroundings } from './schema-fields.ts'

interface Section {
  readonly heading: string
  /** The definition's name in its schema. */
  readonly name: string
  /** What a field of this kind is called where it is linked; without it nothing leads here. */
  readonly link?: string
  readonly depth?: 2 | 3
  /** Of the fields of the definition only these, or all but these. */
  readonly keep?: (field: string) => boolean
  /** In place of the definition's description. */
  readonly about?: (schema: Part) => readonly string[]
}

const isAnsible = (field: string) => field.startsWith('ansible_')

const inventorySections: readonly Section[] = [
  { heading: 'Groups', name: 'group' },
  { heading: 'Variables', name: 'vars', link: 'variables', keep: (field) => !isAnsible(field) },
  {
    heading: 'Variables of Ansible',
    name: 'vars',
    depth: 3,
    keep: isAnsible,
    about: () => ['How converge connects to a host. It ignores other variables of Ansible.'],
  },
  { heading: 'Fleet', name: 'fleet', link: 'fleet settings' },
  { heading: 'Notifications', name: 'notify', link: 'notifications', depth: 3 },
  { heading: 'Ignored drift', name: 'drift_ignore', link: 'ignored drift', depth: 3 },
  { heading: 'Services', name: 'service', about: servicesWords },
  { heading: 'Model', name: 'model', link: 'model', depth: 3 },
  { heading: 'Secrets', name: 'secret', link: 'secret' },
]

const playbookSections: readonly Section[] = [
  { heading: 'Plays', name: 'play' },
  { heading: 'Approvals', name: 'approval', link: 'approvals', depth: 3 },
]

/** @param inventory and playbook: their schemas, with what the registries say in them */
export function inventoryPage(inventory: Part, playbook: Part): Page {
  const sections = [...inventorySections, ...playbookSections]
  return {
    title: 'Inventory and playbooks',
    about: 'Every field that converge reads in an inventory and in a playbook.',
    blocks: [
      '[An inventory that Ansible reads as well](../inventory.md) explains how the files belong together. Fields with *only for* have no meaning elsewhere.',
      sections.map(({ heading, depth }) => `${depth === undefined ? '' : '  '}- [${heading}](${anchor(heading)})`).join('\n'),
      ...inventorySections.flatMap((section) => blocksOf(section, inventory)),
      ...playbookSections.flatMap((section) => blocksOf(section, playbook)),
    ],
  }
}

/** Where fields lead that are of one of these definitions. */
const links: Surroundings['links'] = {
  ...Object.fromEntries(
    [...inventorySections, ...playbookSections].flatMap(({ heading, name, link }) =>
      link === undefined ? [] : [[name, `[${link}](${anchor(heading)})`]],
    ),
  ),
  services: `[services](${anchor('Services')})`,
}

function servicesWords(schema: Part): readonly string[] {
  const [services, name, service] = ['services', 'service_name', 'service'].map((one) => partIn(schema, one))
  return [`${String(services?.['description'])} ${String(name?.['patternErrorMessage'])}`, String(service?.['description'])]
}

function blocksOf({ heading, name, depth = 2, keep = () => true, about }: Section, schema: Part): readonly string[] {
  const part = name === 'service' ? withManagers(partIn(schema, name)) : partIn(schema, name)
  return [
    `${'#'.repeat(depth)} ${heading}`,
    ...(about?.(schema) ?? [String(part['description'])]).map(prose),
    fieldsTable(part, { schema, links, keep }),
  ]
}

/** The schema says in words alone which fields belong to one manager. */
function withManagers(service: Part): Part {
  const properties = Object.entries(recordOf(service['properties'])).map(([field, value]) => {
    const owners = Object.values(managers).filter(({ ownFields }) => ownFields.some((own) => own === field))
    return [field, { ...recordOf(value), 'x-managers': owners.map(({ name }) => name) }]
  })
  return { ...service, properties: Object.fromEntries(properties) }
}
