import { describe, expect, it } from 'vitest'
import { InternalError } from '../../src/errors/converge-error.ts'
import { buildProbe } from '../../src/facts/build-probe.ts'
import { sections } from '../../src/facts/index.ts'
import { question } from './question-with.ts'

describe('the probe', () => {
  it('carries what is asked as arguments, each with its tag, programs after their interpreter', () => {
    const { args } = buildProbe(
      question({
        convergeDir: '/volume1/converge',
        definitions: ['@root/coder/compose.yaml'],
        keyFiles: ['@root/coder/key'],
        models: ['/srv/m/$(touch x) y.gguf'],
        disks: ['@root/'],
        executables: ['/usr/bin/python3', '/opt/kindb/serve', '/opt/llama-server'],
        programs: [
          { path: '/opt/kindb/serve', kind: 'B', interpreter: '/usr/bin/python3' },
          { path: '/opt/llama-server', kind: 'A' },
          { path: '/in/a/container', kind: 'A' },
        ],
        units: ['flagship.service'],
        images: ['x:1'],
        environment: [
          { name: 'CTX', secret: false },
          { name: 'SRV_API_KEY', secret: true },
        ],
      }),
    )
    expect(args).toEqual([
      'converge-looks-at-this-host',
      'root=/volume1/converge',
      'org=example',
      'definition=@root/coder/compose.yaml',
      'keyfile=@root/coder/key',
      'model=/srv/m/$(touch x) y.gguf',
      'disk=@root/',
      'exe=/usr/bin/python3',
      'with=/usr/bin/python3',
      'word=serve',
      'server=/opt/kindb/serve',
      'with=',
      'server=/opt/llama-server',
      'unit=flagship.service',
      'image=x:1',
      'env=CTX',
      'secret=SRV_API_KEY',
    ])
  })

  it('keeps salt and nonce out of the arguments, and makes new frames with a new salt', () => {
    const [one, other] = [buildProbe(question({ salt: 'aaaa1111' })), buildProbe(question({ salt: 'bbbb2222' }))]
    expect(one.args.join(' ')).not.toContain('aaaa1111')
    expect(one.args.join(' ')).not.toContain(one.nonce)
    expect(one.nonce).not.toBe(other.nonce)
    expect(one.nonce).not.toContain('aaaa1111')
  })

  it.each(['', "x'; rm -rf /; '", 'a b', 'ü'])('takes no salt that is not letters and digits: %j', (salt) => {
    expect(() => buildProbe(question({ salt }))).toThrow(InternalError)
  })

  it.each(['linux', 'macos'] as const)('brings the commands of %s alone where the inventory says so', (platform) => {
    const other = platform === 'linux' ? 'vm_stat' : '/proc/meminfo'
    expect(buildProbe(question({ platform })).script).not.toContain(other)
    expect(buildProbe(question()).script).toContain(other)
  })

  it('asks what cannot hang before what can', () => {
    const bounded = sections.map(({ limitS }) => limitS !== undefined)
    expect(bounded.indexOf(true)).toBeGreaterThan(bounded.lastIndexOf(false))
  })

  it.each(['linux', 'macos'] as const)(
    'sections on %s leave the variables of the frame alone, and do not end its shell',
    (platform) => {
      const own =
        /(^|[ ;{(])(nonce|salt|library|quick|slow|redactor|family|limiter|system|uid|user|home|root|PATH|LC_ALL)=|^ *exit\b/m
      // It runs in a subshell.
      const ofTools = /^fetch_tools\(\) \{\n[^}]*\n\}/m
      const scripts = sections.map(({ sh }) => (sh[platform] ?? '').replace(ofTools, ''))
      expect(scripts.filter((script) => own.test(script))).toEqual([])
      expect(own.test('case $x in a)\n  user=b ;;\nesac')).toBe(true)
    },
  )

  it('stays small', () => {
    expect(buildProbe(question({ platform: 'linux' })).script.length).toBeLessThan(39_000)
    expect(buildProbe(question()).script.length).toBeLessThan(67_000)
  })
})
