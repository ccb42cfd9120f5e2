import type { FetchedFile, FileProgress, RunEvent } from '../model/event.ts'
import { type Board, isOver, type Row } from './board.ts'
import { fileName, progressWords } from './file-words.ts'

const states: Readonly<Record<FileProgress['state'], Row['state']>> = {
  waiting: 'waiting',
  fetching: 'running',
  hashing: 'running',
  done: 'done',
  failed: 'failed',
  stopped: 'skipped',
}

/** Before a row, and between its name and its figures. */
const markWidth = 4
/** `63%  999.9 GiB of 999.9 GiB  99.9 MiB/s  9m 59s left` is worth more than the middle of a name. */
const figuresWidth = 48
const leastName = 30
/** `-00001-of-00003.gguf`, and what stands before it. */
const nameEnd = 22

function fitted(name: string, most: number): string {
  return name.length <= most ? name : `${name.slice(0, most - nameEnd - 1)}…${name.slice(-nameEnd)}`
}

/** A row for each file; where they do not fit, one row that counts them and shows a file in progress. */
export function createFileBoard(files: readonly FetchedFile[], maxRows: number, columns = 200): Board {
  const now: FileProgress[] = files.map(() => ({ state: 'waiting', have: 0 }))
  const names = files.map((file) => fitted(fileName(file), Math.max(leastName, columns - markWidth - figuresWidth)))
  const width = Math.max(...names.map((name) => name.length))
  const apply = (event: RunEvent): boolean => {
    if (event.type !== 'file-progress' || now[event.file] === undefined) return false
    now[event.file] = event
    return true
  }
  const close = (): void => {
    for (const [index, one] of now.entries())
      if (!isOver(states[one.state])) now[index] = { state: 'stopped', have: one.have, note: 'continues on the host' }
  }
  const each = (): readonly Row[] =>
    files.map((file, index) => {
      const progress = now[index] ?? { state: 'waiting', have: 0 }
      return {
        key: String(index),
        state: states[progress.state],
        text: `${(names[index] ?? '').padEnd(width)}  ${progressWords(file, progress, columns - width - markWidth)}`,
      }
    })
  const rows = () => (files.length <= maxRows ? each() : [counted(files, now)])
  return { rows, apply, close, epilogue: () => '' }
}

/** `12 of 200 files done, 1 at work: nas  qwen3  …  45%` */
function counted(files: readonly FetchedFile[], now: readonly FileProgress[]): Row {
  const all = now.map(({ state }) => states[state])
  const count = (state: Row['state']) => all.filter((one) => one === state).length
  const at = all.indexOf('running')
  const file = files[at]
  const progress = now[at]
  const current = file === undefined || progress === undefined ? '' : `: ${fileName(file)}  ${progressWords(file, progress)}`
  const failed = count('failed') === 0 ? '' : `, ${count('failed')} failed`
  const over = all.every(isOver)
  const state = over ? (failed !== '' ? 'failed' : count('skipped') > 0 ? 'skipped' : 'done') : 'running'
  return { key: 'all', state, text: `${count('done')} of ${files.length} files done${failed}${current}` }
}
