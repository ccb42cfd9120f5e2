import type { ErrorObject } from 'ajv'

/** A fault that AJV found, without the duplicates that it reports for branches of `anyOf` and for `propertyNames`. */
export type Fault =
  | { readonly sort: 'error'; readonly path: readonly string[]; readonly error: ErrorObject }
  /** No branch matches. `options`: the keys of which exactly one is required; `types`: the allowed types; `noun`: what the value is. */
  | {
      readonly sort: 'choice'
      readonly path: readonly string[]
      readonly options: readonly string[]
      readonly types: readonly string[]
      readonly noun: unknown
    }
  | { readonly sort: 'name'; readonly path: readonly string[]; readonly name: string; readonly rule: string }

export function gatherFaults(errors: readonly ErrorObject[]): readonly Fault[] {
  const faults: Fault[] = []
  for (const error of errors) {
    const path = pathOf(error)
    if (error.keyword === 'anyOf') faults.push(...collapseBranches(error, path, takeBack(faults, path)))
    else if (error.keyword === 'propertyNames') {
      const inner = faults.pop()
      faults.push({
        sort: 'name',
        path,
        name: String(error.params['propertyName']),
        rule: inner === undefined ? '' : ruleOf(inner),
      })
    } else faults.push({ sort: 'error', path, error })
  }
  return faults
}

/** The branches are reported right before their `anyOf`. */
function takeBack(faults: Fault[], path: readonly string[]): readonly Fault[] {
  const first = faults.findLastIndex((fault) => !isAtOrBelow(fault.path, path)) + 1
  return faults.splice(first)
}

/**
 * If the value has the type of one branch, only the messages of that branch are useful. The deeper a fault is, the more of its branch matched.
 */
function collapseBranches(error: ErrorObject, path: readonly string[], branches: readonly Fault[]): readonly Fault[] {
  const deeper = branches.filter((fault) => fault.path.length > path.length)
  if (deeper.length > 0) return deeper
  const options = optionsOf(error)
  const fitting = branches.filter((fault) => !isTypeError(fault))
  if (fitting.length > 0 && options.length === 0) return fitting
  return [{ sort: 'choice', path, options, types: branches.flatMap(typesOf), noun: error.parentSchema?.['x-noun'] }]
}

/** The keys that distinguish the branches. */
function optionsOf(error: ErrorObject): readonly string[] {
  const branches: unknown = error.parentSchema?.['anyOf']
  return Array.isArray(branches) ? branches.flatMap((branch: { required?: readonly string[] }) => branch.required ?? []) : []
}

function isTypeError(fault: Fault): boolean {
  return fault.sort === 'choice' || (fault.sort === 'error' && fault.error.keyword === 'type')
}

function typesOf(fault: Fault): readonly string[] {
  if (fault.sort === 'choice') return fault.types
  return fault.sort === 'error' ? [fault.error.params['type']].flat().map(String) : []
}

function ruleOf(fault: Fault): string {
  return fault.sort === 'error' ? String(fault.error.parentSchema?.['patternErrorMessage'] ?? fault.error.message) : ''
}

function isAtOrBelow(path: readonly string[], above: readonly string[]): boolean {
  return path.length >= above.length && above.every((step, index) => path[index] === step)
}

function pathOf(error: ErrorObject): readonly string[] {
  return error.instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}
