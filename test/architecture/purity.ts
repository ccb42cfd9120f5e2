import { isBuiltin } from 'node:module'
import { importsOf } from './imports.ts'
import { isPure } from './layers.ts'
import { at, type SourceFile } from './source-file.ts'

/** What the two lower layers may not mention. */
const forbidden: readonly (readonly [RegExp, string])[] = [
  [/\basync\b/g, 'async'],
  [/\bawait\b/g, 'await'],
  [/\bPromise\b/g, 'Promise'],
  [/(?<![\w$.])Date\.now\b/g, 'Date.now'],
  [/\bnew\s+Date\s*(?:\(\s*\)|(?![\w\s(]))/g, 'new Date()'],
  [/(?<![\w$.]|new\s)Date\s*\(\s*\)/g, 'Date()'],
  [/(?<![\w$.])Math\.random\b/g, 'Math.random'],
  [/(?<![\w$.])performance\s*\./g, 'performance'],
  [/(?<![\w$.])crypto\s*\./g, 'crypto'],
  [/(?<![\w$.])console\s*[.[]/g, 'console'],
  [/(?<![\w$.])globalThis\b/g, 'globalThis'],
  [/(?<![\w$.])(?:setTimeout|setInterval|setImmediate|queueMicrotask|fetch|require)\s*\(/g, 'a timer, fetch or require'],
]

/** A member of Node's `process`; the domain has processes too, with `pid` and `start`. */
const nodeProcess =
  /(?<![\w$.])process\s*(?:\[|\.\s*(?:env|argv|execArgv|execPath|cwd|chdir|exit|exitCode|abort|std(?:in|out|err)|hrtime|nextTick|platform|arch|versions?|memoryUsage|uptime|on|once|off|kill|umask|getuid|geteuid|title|emitWarning)\b)/g
const ownProcess = /[({,]\s*process\s*[:,)}]|\bprocess\s*=>|\b(?:const|let)\s+process\b/

/** Traces of I/O, clock, randomness, environment or waiting in the two lower layers. */
export function impurities(files: readonly SourceFile[]): readonly string[] {
  return files.filter(isPure).flatMap(impuritiesOf)
}

/** The same for one file, whatever its layer. */
export function impuritiesOf(file: SourceFile): readonly string[] {
  return [...forbiddenWords(file), ...nodeProcesses(file), ...ioImports(file)]
}

function forbiddenWords(file: SourceFile): readonly string[] {
  return forbidden.flatMap(([pattern, name]) =>
    [...file.code.matchAll(pattern)].map((match) => `${at(file, match.index)}: ${name} in a pure layer`),
  )
}

/** Where a declaration at the top of the file names a `process` of its own, that one is meant. */
function nodeProcesses(file: SourceFile): readonly string[] {
  return [...file.code.matchAll(nodeProcess)].flatMap((match) => {
    const before = file.code.slice(0, match.index)
    const declaration = before.slice(
      Math.max(0, ...[...before.matchAll(/^(?:export|async|function|const|let|class)\b/gm)].map((start) => start.index)),
    )
    return ownProcess.test(declaration) ? [] : [`${at(file, match.index)}: process in a pure layer`]
  })
}

/** `createHash` computes; it alone, in one place, may come from Node. */
function ioImports(file: SourceFile): readonly string[] {
  return importsOf(file)
    .filter(({ specifier, kind }) => isBuiltin(specifier) && kind !== 'type')
    .filter(({ specifier }) => !(specifier === 'node:crypto' && file.path === 'src/lib/digest.ts'))
    .map(({ specifier, offset }) => `${at(file, offset)}: imports ${specifier} in a pure layer`)
}
