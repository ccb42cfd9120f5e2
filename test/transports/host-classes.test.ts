import { describe, expect, test } from 'vitest'
import { hostClasses, namedHosts } from '../../src/transports/settings/host-classes.ts'

const config = `
# Host commented
Host nas nas.lan
  Port 22
host=10.0.*  !10.0.9.*
  User op
  ControlPath ~/.ssh/%r@%h:%p
Match all
  Compression yes
Host "quoted"
`

describe('hosts that an ssh config cannot distinguish', () => {
  test.each([
    ['10.0.0.1', '10.0.0.2', true],
    ['10.0.0.1', '10.0.9.1', false],
    ['a.example', 'b.example', true],
    ['nas', 'box', false],
    ['nas', 'nas.lan', false],
    ['quoted', 'box', false],
  ])('%s and %s: %s', (one, other, same) => {
    const classes = hostClasses([config])
    expect(classes.classOf(one)).toBeDefined()
    expect(classes.classOf(one) === classes.classOf(other)).toBe(same)
  })

  test('are distinguished by a file with Windows line ends as well', () => {
    const classes = hostClasses(['Host nas\r\n  Port 2222\r\n'])
    expect(classes.classOf('nas')).not.toBe(classes.classOf('box'))
  })

  test.each([
    ['a Match that looks at more than the name', 'Match user op\n  Port 1\n'],
    ['a Match that runs something', 'Match exec "test -f /x"\n'],
    ['a pattern this program does not read as ssh does', 'Host a[bc]\n'],
    ['a pattern in capitals, which ssh may compare either way', 'Host NAS\n'],
    ['a path with the port in it', 'Host *\n  UserKnownHostsFile ~/.ssh/known_%p\n'],
    ['a path with the user in it', 'Host *\n  IdentityFile ~/.ssh/%r\n'],
  ])('are none with %s', (_, text) => {
    expect(hostClasses([text]).classOf('nas')).toBeUndefined()
  })

  test.each(['NAS', 'na s', 'ünter', '-nas'])('do not include %s, whose name ssh may change', (name) => {
    expect(hostClasses([config]).classOf(name)).toBeUndefined()
  })
})

test('hosts with a name of their own', () => {
  expect(namedHosts([config, 'Host NAS !old n?s nas\r\n'])).toEqual(['nas', 'nas.lan', 'quoted', 'NAS'])
})
