import { sha256 } from '../lib/digest.ts'
import { shellQuote } from '../lib/shell-quote.ts'
import type { GroupBody } from '../managers/compile-action.ts'
import { definitionUnchanged } from '../managers/linux-checks.ts'
import { forgetCopy, keepPrevious, restorePrevious } from '../managers/previous-copy.ts'
import { safeFolderFunctions } from '../managers/safe-folder-script.ts'
import { previousSuffix } from '../model/beside.ts'
import type { Layout } from '../model/facts.ts'
import type { Check, PutStep, RunStep, Step } from '../model/step.ts'
import type { DueEndpoints } from './endpoints-files.ts'
import { isWritten, takeBack } from './written-file.ts'

const timeoutMs = 60_000

/**
 * Writes the list, and has clients read it; the rollback restores the previous file, and has them read that. Until they have read it, a
 * file beside it shows the next run that they have not.
 */
export function compileEndpoints(due: DueEndpoints, layout: Layout): GroupBody {
  const { path, content, was, unread } = due
  const digest = sha256(content)
  const cleanup = [forgetCopy(path)]
  if (unread) {
    const same = definitionUnchanged(path, digest)
    const again = due.file.reload === undefined ? [] : [reload(due.file.reload)]
    return { precheck: [same], steps: again, postcheck: [isWritten(path, digest)], undo: [], cleanup }
  }
  const asSeen = definitionUnchanged(path, was?.digest ?? null)
  const written = { ...put(due, layout), guards: [asSeen] }
  return {
    precheck: [asSeen, ...onlyRootWrites(path, layout)],
    steps: [...beside(due, layout), written, ...(due.file.reload === undefined ? [] : [reload(due.file.reload)])],
    postcheck: [isWritten(path, digest)],
    undo: undo(due, digest),
    cleanup,
  }
}

/** Root writes beside the file: an account that can change the folder could put a link there. */
function onlyRootWrites(path: string, { effectiveUid }: Layout): readonly Check[] {
  if (effectiveUid !== 0) return []
  const script = `${safeFolderFunctions}
if unsafe=$(unsafe_above "\${1%/*}"); then
  echo "another account can change \${unsafe#* * }, so root does not write there"
  exit 1
fi`
  return [{ label: `only root and the login account can change the folder of ${path}`, script, args: [path] }]
}

/** The previous file; without one, an empty file that marks what is not read yet. */
function beside(due: DueEndpoints, layout: Layout): readonly Step[] {
  const { path, was, file } = due
  if (was !== null) return [keepPrevious([path], was.digest)]
  if (file.reload === undefined) return []
  const marker = `${path}${previousSuffix}`
  return [{ ...put(due, layout), label: `note that ${path} was not read yet`, path: marker, content: [] }]
}

const keepGroup = `group() { ls -dln "$1" | awk '{ print $4 }'; }
was=$(group "$2") && [ -n "$was" ] || exit 1
[ "$(group "$1")" = "$was" ] || chgrp "$was" "$1"`

/** An existing file keeps its mode, owner and group. */
function put({ path, content, was }: DueEndpoints, { effectiveUid, home, user }: Layout): PutStep {
  const owner = was?.owner ?? (path.startsWith(`${home}/`) ? user : undefined)
  return {
    do: 'put',
    label: `write ${path}`,
    guards: [],
    path,
    content: [content],
    mode: was === null ? 0o644 : was.mode & 0o777,
    ...(was === null ? {} : { validate: { script: keepGroup, args: [path] } }),
    // Only root gives files away.
    ...(effectiveUid === 0 && owner !== undefined ? { owner } : {}),
    folderMode: 0o755,
  }
}

function undo({ path, was, file }: DueEndpoints, digest: string): readonly Step[] {
  if (was === null) return [takeBack(path, digest), forgetCopy(path)]
  return [restorePrevious([path], was.digest), ...(file.reload === undefined ? [] : [reloadPrevious(file.reload)])]
}

function reload(argv: readonly string[]): RunStep {
  return { do: 'run', label: `reload: ${shellQuote(argv)}`, guards: [], script: '"$@" </dev/null', args: argv, timeoutMs }
}

/** The rollback is complete without it: what failed may be the command itself. */
function reloadPrevious(argv: readonly string[]): RunStep {
  const script = '"$@" </dev/null || echo "it failed again with the previous file"'
  return { ...reload(argv), label: `reload the previous file: ${shellQuote(argv)}`, script }
}
