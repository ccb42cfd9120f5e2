import { expect, it } from 'vitest'
import type { FetchedModel, FetchedModelFile } from '../../src/model/fetch-document.ts'
import { renderFetch } from '../../src/report/fetch-text.ts'
import { noPaint } from '../../src/report/paint.ts'

const gib = 1024 ** 3
const file = (state: FetchedModelFile['state'], have: number): FetchedModelFile => ({
  path: '/m/a',
  bytes: 40 * gib,
  have,
  state,
})
const model = (more: Partial<FetchedModel>): FetchedModel => ({
  host: 'nas',
  services: ['coder'],
  model: '/m/a',
  hub: 'https://hub',
  repo: 'org/coder',
  revision: 'main',
  commit: 'c'.repeat(40),
  files: [file('complete', 40 * gib), file('partial', 10 * gib)],
  state: 'due',
  ...more,
})
const problem = {
  code: 'MODEL.NO_SPACE',
  summary: 'It does not fit.',
  why: 'On nas, 30 GiB are still to come.',
  next: ['Free space.', 'Or wait.'],
}

it('shows how far each model is, and what stands in its way', () => {
  const models = [
    model({ state: 'complete', files: [file('complete', 40 * gib)], services: ['coder', 'tiny'] }),
    model({ state: 'fetching' }),
    model({}),
    model({ files: [], commit: null }),
    model({ state: 'stopped' }),
    model({ state: 'failed', problem }),
    model({ state: 'refused', problem, files: [] }),
    model({ state: 'unknown', problem: { ...problem, next: [] }, files: [file('unverified', 40 * gib)] }),
  ]
  const unreachable = [
    { host: 'box', problem: { code: 'CONNECT.DNS', summary: '', why: 'box.lan is not known.', next: ['ssh box'] } },
  ]
  expect(
    renderFetch({ models, unreachable }, noPaint),
  ).toBe(`✓ coder, tiny@nas  org/coder at cccccccccccc  complete: one file, 40 GiB
↓ coder@nas  org/coder at cccccccccccc  fetching: 1 of 2 files complete, 50 GiB of 80 GiB
~ coder@nas  org/coder at cccccccccccc  to fetch: 1 of 2 files complete, 50 GiB of 80 GiB
~ coder@nas  org/coder  not fetched yet
■ coder@nas  org/coder at cccccccccccc  stopped: 1 of 2 files complete, 50 GiB of 80 GiB
✗ coder@nas  org/coder at cccccccccccc  failed: 1 of 2 files complete, 50 GiB of 80 GiB
    MODEL.NO_SPACE  On nas, 30 GiB are still to come.
    next: Free space.
    next: Or wait.
✗ coder@nas  org/coder at cccccccccccc  refused
    MODEL.NO_SPACE  On nas, 30 GiB are still to come.
    next: Free space.
    next: Or wait.
? coder@nas  org/coder at cccccccccccc  unknown: 0 of one file complete, 40 GiB of 40 GiB
    MODEL.NO_SPACE  On nas, 30 GiB are still to come.
✗ box  unreachable
    CONNECT.DNS  box.lan is not known.
    next: ssh box
`)
})

it('says that there is nothing to fetch', () => {
  expect(renderFetch({ models: [], unreachable: [] }, noPaint)).toBe('No selected service has a model.source.\n')
})
