import { readFileSync } from 'node:fs'
import { parse } from 'plist'
import { xmlOf } from './plutil.ts'

/** A property list of an agent, as launchd reads it when the agent is bootstrapped; what is changed in the file later does not count. */
export interface AgentDefinition {
  readonly path: string
  readonly label: string
  readonly arguments: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly runAtLoad: boolean
  /** Of a daemon; null: root. Agents are their login's. */
  readonly userName: string | null
  /** Null: that of launchd. */
  readonly umask: number | null
  /** Null: it is not kept alive. `'always'`: after every exit. A boolean: only after an exit that was, or was not, successful. */
  readonly keepAlive: 'always' | boolean | null
  readonly stdoutPath: string | null
  readonly stderrPath: string | null
  /** Seconds between SIGTERM and SIGKILL. */
  readonly exitTimeoutS: number
  /** Seconds that have to lie between two starts. */
  readonly throttleS: number
}

/** What launchd takes where the file says nothing: seen as `exit timeout = 5` and `minimum runtime = 10` in `launchctl print`. */
const defaults = { exitTimeoutS: 5, throttleS: 10 }

/** Undefined where launchd cannot use the file. */
export function readAgentDefinition(path: string): AgentDefinition | undefined {
  const fields = readFields(path)
  const label = fields?.['Label']
  const argv = textsOf(fields?.['ProgramArguments'])
  if (fields === undefined || typeof label !== 'string' || argv === undefined || argv.length === 0) return undefined
  const environment = Object.entries(fields['EnvironmentVariables'] ?? {}).map(([name, value]) => [name, String(value)] as const)
  return {
    path,
    label,
    arguments: argv,
    environment: Object.fromEntries(environment),
    runAtLoad: fields['RunAtLoad'] === true,
    userName: textOrNull(fields['UserName']),
    umask: typeof fields['Umask'] === 'number' ? fields['Umask'] : null,
    keepAlive: keepAliveOf(fields['KeepAlive']),
    stdoutPath: textOrNull(fields['StandardOutPath']),
    stderrPath: textOrNull(fields['StandardErrorPath']),
    exitTimeoutS: numberOr(fields['ExitTimeOut'], defaults.exitTimeoutS),
    throttleS: numberOr(fields['ThrottleInterval'], defaults.throttleS),
  }
}

/**
 * Whether loading it starts it: `SuccessfulExit` in whatever direction implies `RunAtLoad`, also where that is `false` in the file
 * (launchd.plist(5): the job has to run once before there is an exit status).
 */
export function startsWhenLoaded({ runAtLoad, keepAlive }: AgentDefinition): boolean {
  return runAtLoad || keepAlive !== null
}

function readFields(path: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const content = xmlOf(readFileSync(path, 'utf8'))
    // The parser writes what it cannot read to the terminal.
    const value: unknown = content.includes('<plist') ? parse(content) : undefined
    return isDictionary(value) ? value : undefined
  } catch {
    return undefined
  }
}

function keepAliveOf(value: unknown): AgentDefinition['keepAlive'] {
  if (value === true) return 'always'
  const successful = isDictionary(value) ? value['SuccessfulExit'] : undefined
  return typeof successful === 'boolean' ? successful : null
}

function isDictionary(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise
}
