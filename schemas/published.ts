import adopt from './adopt.schema.json' with { type: 'json' }
import doctor from './doctor.schema.json' with { type: 'json' }
import drift from './drift.schema.json' with { type: 'json' }
import facts from './facts.schema.json' with { type: 'json' }
import fetch from './fetch.schema.json' with { type: 'json' }
import fetchLog from './fetch-log.schema.json' with { type: 'json' }
import inventory from './inventory.schema.json' with { type: 'json' }
import vars from './inventory-vars.schema.json' with { type: 'json' }
import logLine from './log-line.schema.json' with { type: 'json' }
import notification from './notification.schema.json' with { type: 'json' }
import pin from './pin.schema.json' with { type: 'json' }
import plan from './plan.schema.json' with { type: 'json' }
import playbook from './playbook.schema.json' with { type: 'json' }
import report from './report.schema.json' with { type: 'json' }
import version from './version.schema.json' with { type: 'json' }

export interface PublishedSchema {
  readonly $id: string
  readonly title: string
  readonly description: string
  readonly [keyword: string]: unknown
}

/** What `converge schema NAME` prints. Each schema is complete: it refers to no other file. */
export const published: Readonly<Record<string, PublishedSchema>> = {
  inventory,
  'group-vars': { ...vars, $ref: '#/$defs/vars', $defs: inventory.$defs },
  playbook,
  plan,
  facts: withPlan(facts),
  report: withPlan(report),
  drift: withPlan(drift),
  fetch: withPlan(fetch),
  'fetch-log': withPlan(fetchLog),
  'log-line': logLine,
  pin,
  adopt: withPlan(adopt),
  notification,
  doctor,
  version,
}

/** Those of files that people write. */
export const written: readonly string[] = ['inventory', 'group-vars', 'playbook']

/** With the schema that it refers to by the name of its file, which counts from its own `$id`. */
function withPlan(schema: PublishedSchema & { readonly $defs?: object }): PublishedSchema {
  return { ...schema, $defs: { ...schema.$defs, plan } }
}
