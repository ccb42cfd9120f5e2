import { shellQuote } from '../../src/lib/shell-quote.ts'
import { compareDefinition } from '../../src/managers/compare-definition.ts'
import { compareFields, restartOf, withPrefix } from '../../src/managers/compare-fields.ts'
import { compileAction } from '../../src/managers/compile-action.ts'
import { type Fields, flagFields } from '../../src/managers/flag-fields.ts'
import { askedKeyFile, keyBefore, keyFileName } from '../../src/managers/key-file.ts'
import { definitionUnchanged, fileGone, portFree } from '../../src/managers/linux-checks.ts'
import type { Manager, Rendered, RenderInput } from '../../src/managers/manager.ts'
import { markLines, markOf } from '../../src/managers/mark.ts'
import { forgetCopies } from '../../src/managers/previous-copy.ts'
import { tidyUp } from '../../src/managers/tidying.ts'
import { deletion, putFilesBack, rehearseDefinition, writeFiles } from '../../src/managers/write-files.ts'
import type { Action } from '../../src/model/action.ts'
import type { HostFacts, Resident } from '../../src/model/facts.ts'
import type { Service } from '../../src/model/fleet.ts'
import { known, mapObserved, unknown } from '../../src/model/observed.ts'
import type { Check, RunStep, StepGroup } from '../../src/model/step.ts'
import { serverKinds } from '../../src/servers/index.ts'

/** The name of a fourth manager. That of one that is here to stay stands in `model/names.ts` and in the schema as well. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types know the managers of the product alone
export const fourth = 'runit' as 'systemd'

/** A fourth manager, to prove that nothing outside of its own file has to know one: runit, as the manual of `sv` has it. */
export const runit: Manager = {
  name: fourth,
  platforms: ['linux'],
  isContainer: false,
  needsRoot: true,
  needsSession: false,
  rereads: false,
  loadingStarts: false,
  ownFields: [],
  faults: {},
  isMissing: () => false,
  asks: (service) => ({
    definitions: [pathOf(service)],
    keyFiles: [askedKeyFile(service)],
    units: [],
    containers: [],
    images: [],
    executables: [service.executable, service.interpreter].filter((path) => path !== undefined),
  }),
  render,
  observe(service, facts, org) {
    const definition = facts.definitions[pathOf(service)] ?? unknown('not-gathered')
    return mapObserved(definition, (there) => {
      const process = processOf(service, facts)
      return {
        definitionPath: pathOf(service),
        definition: there === null ? 'none' : there.mark === markOf(org, service.name) ? 'ours' : 'foreign',
        definitionDigest: there?.digest ?? null,
        definitionContent: there?.content ?? null,
        activity: process === undefined ? 'stopped' : 'running',
        process: process === undefined ? null : { pid: process.pid, start: process.start },
        startsAtBoot: process !== undefined,
        staleDefinition: false,
        notes: [],
      }
    })
  },
  compareRunning(input, facts) {
    const process = processOf(input.service, facts)
    if (process === undefined) return known([])
    const effect = restartOf(input.service.kind)
    const fields = compareFields(flagFields('command', process.argv), flagFields('command', wordsOf(input)), () => effect)
    return known(withPrefix('running', fields))
  },
  compareDefinitions: (from, to, kind) => compareDefinition(fieldsOf, from, to, () => restartOf(kind)),
  fields: fieldsOf,
  compile,
  supervisor: ({ name }) => ({
    life: { script: 'exec sv status "$1"', args: [name] },
    log: { script: 'exec tail -n "$1" "/var/log/$2/current"', args: [name] },
    readLife: ({ exitCode, stdout }) =>
      exitCode === 0
        ? { state: stdout.startsWith('run:') ? 'alive' : 'dead', detail: stdout }
        : { state: 'unknown', detail: stdout },
  }),
}

function pathOf({ name }: Pick<Service, 'name'>): string {
  return `/etc/sv/${name}/run`
}

function processOf({ executable, port }: Service, { residents }: HostFacts): Resident | undefined {
  return residents.known ? residents.value.find((one) => one.argv[0] === executable && one.port === port) : undefined
}

function launchOf(input: RenderInput) {
  const { service, layout, key } = input
  const keyFile = `${layout.root}/${keyFileName(service)}`
  return { keyFile, launch: serverKinds[service.kind].launch(service, { model: service.model.path, keyFile }, key) }
}

function wordsOf(input: RenderInput): readonly string[] {
  const { launch } = launchOf(input)
  return [...launch.program, ...launch.args].map(String)
}

function render(input: RenderInput): Rendered {
  const { launch, keyFile } = launchOf(input)
  const mark = markLines(input).map((line) => `# ${line}\n`)
  const content = ['#!/bin/sh\n', ...mark, `exec ${shellQuote(wordsOf(input))}\n`]
  const definition = { path: pathOf(input.service), content, mode: 0o755 }
  if (launch.keyFileContent === undefined) return { definition }
  return { definition, keyFile: { path: keyFile, content: [launch.keyFileContent], mode: 0o600 } }
}

function fieldsOf(definition: string): Fields | undefined {
  const command = /^exec (.*)$/m.exec(definition)?.[1]
  return command === undefined ? undefined : flagFields('command', command.split(' '))
}

function compile(action: Action, input: RenderInput, facts: HostFacts): StepGroup {
  const { name } = input.service
  const path = pathOf(input.service)
  const { definition_digest: digest } = action.relies_on
  const key = keyBefore(launchOf(input).keyFile, input, facts)
  const rendered = render(input)
  const validate = { script: 'sh -n "$1"', args: [] }
  const precheck = digest === undefined ? [] : [definitionUnchanged(path, digest)]
  const common = { precheck, cleanup: [forgetCopies(path, key.path)] }
  const up = { ...common, postcheck: [isUp(name)], undo: [sv('down', name)] }
  return compileAction(
    action,
    {
      write: () => ({
        ...common,
        steps: [...writeFiles(rendered, validate, { digest, key }), ...(action.starts ? [sv('restart', name)] : [])],
        postcheck: action.starts ? [isUp(name)] : [],
        undo: putFilesBack(rendered, { digest, key }),
      }),
      tidy: () => tidyUp(path, key, precheck),
      start: () => ({ ...up, steps: [sv('up', name)] }),
      restart: () => ({ ...up, steps: [sv('restart', name)] }),
      stop: () => ({
        ...common,
        steps: [...(action.temporary === undefined ? [] : [rehearseDefinition(rendered, validate)]), sv('down', name)],
        postcheck: [],
        undo: [sv('up', name)],
        room: (action.temporary?.ports ?? []).map(portFree),
      }),
      remove: () => ({ precheck, steps: [sv('down', name), deletion(path)], postcheck: [fileGone(path)], undo: [] }),
    },
    {},
  )
}

function sv(verb: 'up' | 'down' | 'restart', name: string): RunStep {
  const label = `have runit ${verb} ${name}`
  return { do: 'run', label, guards: [], script: 'sv "$1" "$2"', args: [verb, name], timeoutMs: 60_000, server: true }
}

function isUp(name: string): Check {
  return { label: `${name} is up`, script: 'sv status "$1" | grep -q ^run:', args: [name] }
}
