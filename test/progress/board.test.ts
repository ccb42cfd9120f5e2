import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/model/event.ts'
import { createBoard } from '../../src/progress/board.ts'

const names = (count: number) => Array.from({ length: count }, (_, index) => `h${index}`)
const finished = (host: string, ok: boolean): RunEvent => ({ type: 'host-finished', host, ok, note: ok ? '1 applied' : 'failed' })

describe('the board', () => {
  it('has a row for each host while they fit, with what it is doing', () => {
    const board = createBoard(['nas', 'studio'], 2)
    board.apply({ type: 'host-started', host: 'nas' })
    board.apply({ type: 'step-started', host: 'nas', action: 'nas/coder/update', label: 'write compose.yaml' })
    expect(board.rows()).toEqual([
      { key: 'nas', state: 'running', text: 'nas     coder: write compose.yaml' },
      { key: 'studio', state: 'waiting', text: 'studio' },
    ])
  })

  it('counts hosts that do not fit, and names those that failed', () => {
    const board = createBoard(names(200), 30)
    for (const host of names(50)) board.apply({ type: 'host-started', host })
    for (const [index, host] of names(40).entries()) board.apply(finished(host, index % 10 !== 0))
    expect(board.rows()).toEqual([
      { key: 'all', state: 'running', text: '36 of 200 done, 10 running, 4 failed: h0, h10, h20, h30' },
    ])
    board.close()
    expect(board.rows()).toMatchObject([{ state: 'failed', text: expect.stringContaining('160 skipped') }])
    expect(board.epilogue()).toBe('  failed: h0, h10, h20, h30\n')
  })

  it('does not let a host come back once it is done', () => {
    const board = createBoard(['nas'], 30)
    board.apply(finished('nas', false))
    expect(board.apply({ type: 'host-note', host: 'nas', note: 'late' })).toBe(false)
    board.close()
    expect(board.rows()).toEqual([{ key: 'nas', state: 'failed', text: 'nas  failed' }])
  })

  it('leaves hosts of other lists alone', () => {
    const board = createBoard(['nas'], 30)
    expect(board.apply(finished('box', false))).toBe(false)
  })

  it('counts every host once, in any order of events', () => {
    const events = fc.array(fc.tuple(fc.integer({ min: 0, max: 39 }), fc.constantFrom('start', 'ok', 'fail')), { maxLength: 120 })
    fc.assert(
      fc.property(events, (list) => {
        const board = createBoard(names(40), 30)
        const each = createBoard(names(40), 40)
        for (const [host, what] of list) {
          const event: RunEvent =
            what === 'start' ? { type: 'host-started', host: `h${host}` } : finished(`h${host}`, what === 'ok')
          board.apply(event)
          each.apply(event)
        }
        board.close()
        each.close()
        const states = each.rows().map((row) => row.state)
        const count = (state: string) => states.filter((one) => one === state).length
        expect(count('done') + count('failed') + count('skipped')).toBe(40)
        expect(board.rows()[0]?.text).toContain(`${count('done')} of 40 done`)
        expect(board.rows()[0]?.state).toBe(count('failed') > 0 ? 'failed' : 'done')
      }),
    )
  })
})
