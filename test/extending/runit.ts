import { shellQuote } from '../../src/lib/shell-quote.ts'
import { compareDefinition } from '../../src/managers/compare-definition.ts'
import { compareFields, restartOf, withPrefix } from '../../src/managers/compare-fields.ts'
import { compileAction } from '../../src/managers/compile-action.ts'
import { endProcess } from '../../src/managers/end-process.ts'
import { type Fields, flagFields } from '../../src/managers/flag-fields.ts'
import { askedKeyFile, keyBefore, keyFileName } from '../../src/managers/key-file.ts'
import { definitionUnchanged, fileGone, portFree, processUnchanged } from '../../src/managers/linux-checks.ts'
import type { Manager, Rendered, RenderInput } from '../../src/managers/manager.ts'
import { ownershipLabelOf, ownershipLines } from '../../src/managers/ownership-label.ts'
import { forgetCopies } from '../../src/managers/previous-copy.ts'
import { tidyUp } from '../../src/managers/tidying.ts'
import { deletion, putFilesBack, rehearseDefinition, writeFiles } from '../../src/managers/write-files.ts'
import type { Action } from '../../src/model/action.ts'
import type { HostFacts, Resident } from '../../src/model/facts.ts'
import type { Service } from '../../src/model/fleet.ts'
import { known, mapObserved, unknown } from '../../src/model/observed.ts'
import type { Check, RunStep, StepGroup } from '../../src/model/step.ts'
import { serverKinds } from '../../src/servers/index.ts'

/** The name of a fourth manager. That of one that is here to stay stands in `model/names.ts` as well. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types know the managers of the product alone
export const fourth = 'runit' as 'systemd'

/**
 * A fourth manager, to prove that nothing outside of its own file has to know one: runit, as the manuals of `sv` and `runsvdir` have it. A
 * service is a folder with a program `run`; it is supervised, and started at boot, while `/etc/service` has a link to that folder.
 */
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
  nameOf: ({ name }) => name,
  originOf: () => undefined,
  asks: (service) => ({
    definitions: [pathOf(service), linkedPathOf(service)],
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
        definition: there === null ? 'none' : there.mark === ownershipLabelOf(org, service.name) ? 'ours' : 'foreign',
        definitionDigest: there?.digest ?? null,
        definitionContent: there?.content ?? null,
        activity: process !== undefined ? 'running' : isLinked(service, facts) ? 'stopped' : 'not-loaded',
        process: process === undefined ? null : { pid: process.pid, start: process.start },
        startsAtBoot: isLinked(service, facts),
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
  compareDefinitions: (from, to, { kind }) => compareDefinition(fieldsOf, from, to, () => restartOf(kind)),
  fields: fieldsOf,
  concerns: (field) => (field.startsWith('command.') ? 'server' : undefined),
  compile,
  logFile: logOf,
  supervisor: ({ name }) => ({
    life: { script: 'exec sv status "$1"', args: [name] },
    logs: [{ in: 'file', path: logOf({ name }) }],
    readLife: ({ exitCode, stdout }) =>
      exitCode === 0
        ? { state: stdout.startsWith('run:') ? 'alive' : 'dead', detail: stdout }
        : { state: 'unknown', detail: stdout },
  }),
}

function pathOf({ name }: Pick<Service, 'name'>): string {
  return `/etc/sv/${name}/run`
}

/** The same file where the service is supervised; none: it is not. */
function linkedPathOf({ name }: Pick<Service, 'name'>): string {
  return `/etc/service/${name}/run`
}

function isLinked(service: Service, { definitions }: HostFacts): boolean {
  const linked = definitions[linkedPathOf(service)]
  return linked?.known === true && linked.value !== null
}

function logOf({ name }: Pick<Service, 'name'>): string {
  return `/var/log/${name}.log`
}

function processOf({ executable, port }: Service, { residents }: HostFacts): Resident | undefined {
  return residents.known
    ? residents.value.find((one) => one.argv.some((word) => word === executable) && one.port === port)
    : undefined
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
  const mark = ownershipLines(input).map((line) => `# ${line}\n`)
  const log = `exec >>${shellQuote([logOf(input.service)])} 2>&1\n`
  const content = ['#!/bin/sh\n', ...mark, log, `exec ${shellQuote(wordsOf(input))}\n`]
  const definition = { path: pathOf(input.service), content, mode: 0o755 }
  if (launch.keyFileContent === undefined) return { definition }
  return { definition, keyFile: { path: keyFile, content: [launch.keyFileContent], mode: 0o600 } }
}

function fieldsOf(definition: string): Fields | undefined {
  const command = /^exec ([^>].*)$/m.exec(definition)?.[1]
  return command === undefined ? undefined : flagFields('command', command.split(' '))
}

function compile(action: Action, input: RenderInput, facts: HostFacts): StepGroup {
  const { name, stopTimeoutS } = input.service
  const [start, restart, stop] = [up(name), again(name, stopTimeoutS), down(name, stopTimeoutS)]
  const path = pathOf(input.service)
  const { definition_digest: digest } = action.relies_on
  const key = keyBefore(launchOf(input).keyFile, input, facts)
  const rendered = render(input)
  const validate = { script: 'sh -n "$1"', args: [] }
  const precheck = digest === undefined ? [] : [definitionUnchanged(path, digest)]
  const common = { precheck, cleanup: [forgetCopies(path, key.path)] }
  return compileAction(
    action,
    {
      write: () => ({
        ...common,
        steps: [...writeFiles(rendered, validate, { digest, key }), ...(action.starts ? [restart] : [])],
        postcheck: action.starts ? [isUp(name)] : [],
        undo: putFilesBack(rendered, { digest, key }),
      }),
      tidy: () => tidyUp(path, key, precheck),
      start: () => ({ ...common, steps: [start], postcheck: [isUp(name)], undo: [stop] }),
      restart: () => ({ ...common, steps: [restart], postcheck: [isUp(name)], undo: [] }),
      stop: () => ({
        ...common,
        steps: [...(action.temporary === undefined ? [] : [rehearseDefinition(rendered, validate)]), stop],
        postcheck: [],
        undo: [start],
        room: (action.temporary?.ports ?? []).map(portFree),
      }),
      unmark: () => [],
      end: (_, ended) => ({
        step: endProcess(ended, stopTimeoutS, [processUnchanged(ended)]),
        portFree: portFree(input.service.port),
      }),
      remove: () => ({ precheck, steps: [stop, deletion(path)], postcheck: [fileGone(path)], undo: [] }),
    },
    { prechecks: precheck },
  )
}

/** runsvdir looks for new links every five seconds. */
function up(name: string): RunStep {
  const script = `ln -sfn "/etc/sv/$1" "/etc/service/$1" || exit 1
for try in 1 2 3 4 5 6 7 8 9 10; do
  if sv status "$1" >/dev/null; then exec sv start "$1"; fi
  sleep 1
done
echo "runsvdir does not supervise $1"
exit 1`
  return onServer(`have runit start ${name}, now and at boot`, script, [name])
}

function again(name: string, graceS: number): RunStep {
  return onServer(`have runit restart ${name}`, 'exec sv -w "$2" restart "$1"', [name, String(graceS)], graceS)
}

function down(name: string, graceS: number): RunStep {
  const script = `if [ -L "/etc/service/$1" ]; then sv -w "$2" force-stop "$1" && rm "/etc/service/$1"; fi`
  return onServer(`have runit stop ${name}, and not start it at boot`, script, [name, String(graceS)], graceS)
}

function onServer(label: string, script: string, args: readonly string[], graceS = 0): RunStep {
  return { do: 'run', label, guards: [], script, args, timeoutMs: (60 + graceS) * 1000, server: true }
}

function isUp(name: string): Check {
  return { label: `${name} is up`, script: 'sv status "$1" | grep -q ^run:', args: [name] }
}
