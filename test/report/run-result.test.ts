import { expect, test } from 'vitest'
import { runResult } from '../../src/report/run-result.ts'
import { caseFiles } from '../support/case-files.ts'

test.each(caseFiles('report', 'report-interrupted.json'))(
  'the document of $file says what its text says: resume it',
  ({ text }) => {
    const document: unknown = JSON.parse(JSON.stringify(runResult(JSON.parse(text)).document))
    expect(document).not.toEqual(JSON.parse(text))
    expect(JSON.stringify(document).match(/converge plan --limit/)).toBeNull()
    expect(document).toMatchObject({
      hosts: [{ actions: [{ problem: { next: ['converge resume 20261122T115719Z-50809a'] } }, {}, {}, {}] }],
    })
  },
)
