import { expect, test } from 'vitest'
import { unsafeFolder } from '../../src/apply/safe-folder.ts'

test.each([
  ['unknown 0 /srv', 'cannot be read', 'Look at it:  ssh nas ls -ldn /srv'],
  ['drwxrwxrwx 0 /srv', 'is writable by every user (drwxrwxrwx)', 'Close it:  ssh nas chmod go-w /srv'],
  ['drwxrwxr-x 0 /srv', 'is writable by its group (drwxrwxr-x)', 'Close it:  ssh nas chmod g-w /srv'],
  ['drwxr-xr-x 1002 /srv', 'belongs to another account (user 1002)', 'Look at it:  ssh nas ls -ldn /srv'],
])('a folder of which the host says `%s` %s', (answer, what, remedy) => {
  const { why, next } = unsafeFolder('nas', '/srv/converge', answer)
  expect(why).toContain(`/srv ${what}`)
  expect(String(next[0])).toBe(remedy)
})
