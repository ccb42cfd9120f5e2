import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { outward, scriptInward } from '../../simulation/border.ts'
import { borderOf } from '../../simulation/linux/border.ts'
import { shellQuote } from '../../src/lib/shell-quote.ts'

const root = '/tmp/box/root'

describe('a script on its way in', () => {
  it.each([
    ['cat /proc/meminfo "/proc/$1/stat" </etc/passwd', `cat ${root}/proc/meminfo "${root}/proc/$1/stat" <${root}/etc/passwd`],
    ['PATH=$PATH:/usr/sbin:/sbin', `PATH=$PATH:${root}/usr/sbin:${root}/sbin`],
    ["sed 's|^/etc/systemd|x|' ${folder#/proc/}", `sed 's|^${root}/etc/systemd|x|' \${folder#${root}/proc/}`],
    ['definition\\=/etc/systemd/system/a.service', `definition\\=${root}/etc/systemd/system/a.service`],
    ['eval "home=~$user"', `eval "home=${root}/home/$user"`],
    ['/etc.defaults/VERSION', `${root}/etc.defaults/VERSION`],
  ])('names the places of the box: %s', (outside, inside) => expect(scriptInward(borderOf(root), outside)).toBe(inside))

  it.each([
    'exec /bin/sh -c x </dev/null >/tmp/x',
    '"$root/etc" ${x}/proc a/proc ~/opt',
    'http://host/etc/x',
    '/etcetera /procs /optional',
    String.raw`awk '/^\/proc\/[0-9]+/'`,
  ])('leaves everything else: %s', (script) => expect(scriptInward(borderOf(root), script)).toBe(script))

  it('has the content of files as it was sent, in whatever quotes the script itself stands', () => {
    const content = 'EnvironmentFile=/etc/converge/keys/a.env\nit\'s "/opt" /srv'
    const script = `cat <<'end_1a'\n${content}\n.\nend_1a\ncat /etc/passwd`
    const inside = script.replace('/etc/passwd', `${root}/etc/passwd`)
    expect(scriptInward(borderOf(root), script)).toBe(inside)
    expect(scriptInward(borderOf(root), shellQuote([script]))).toBe(shellQuote([inside]))
  })
})

describe('output on its way out', () => {
  it('loses the folder of the box, wherever it is cut', async () => {
    const said = Buffer.from(`a ${root}/etc/x ${root}/ü /tmp/box/roo /tmp/box`)
    for (let at = 0; at <= said.length; at++) {
      const stream = outward(root)
      stream.write(said.subarray(0, at))
      stream.end(said.subarray(at))
      expect(await text(stream)).toBe('a /etc/x /ü /tmp/box/roo /tmp/box')
    }
  })

  it('holds nothing back that cannot be its beginning', () => {
    const stream = outward(root)
    stream.write('ready; /tm')
    expect(String(stream.read())).toBe('ready; ')
  })
})
