import { describe, expect, it } from 'vitest'
import { aService, type ServiceOptions } from '../support/build.ts'
import { oneIn } from '../support/series.ts'
import { type LabHost, mustExec } from './host.ts'
import { labHost, noLab } from './lab-hosts.ts'
import { ask, key, lookOf, managed, said, tookOver } from './managed.ts'
import { oddWords } from './odd-words.ts'

const engines = ['old', 'nas']
/** What a file is restored to, and which version of compose starts its container again, do not depend on each other. */
const restoringByHand = oneIn(engines.length, engines)

describe.skipIf(noLab)('managers on real hosts', () => {
  describe.each(engines)('compose on %s', (name) => {
    const host = (): LabHost => labHost(name)
    const coder = (given: ServiceOptions = {}) =>
      aService({
        name: 'mcoder',
        host: name,
        port: 9991,
        alias: 'tiny',
        ctxSize: 512,
        threads: 1,
        stopTimeoutS: 20,
        model: { path: '/srv/models/tiny/tiny.gguf' },
        ...given,
      })

    const larger = () => managed(host(), coder({ ctxSize: 1024 }), 'lab-key-2')
    const bad = () => managed(host(), coder({ ctxSize: 1024, model: { path: '/srv/models/tiny/not-there.gguf' } }), 'lab-key-3')
    const answers = async () => {
      await expect.poll(() => said(host(), ask(9991, '/props', 'lab-key-2'))).toBe('200')
    }

    /** Each test goes on where the one before it ended. */
    describe('a Kind A', () => {
      it('is installed, started, changed, restarted and stopped, and stays so when the engine restarts', async () => {
        const service = managed(host(), coder(), key)
        const nothing = await service.look()
        expect(nothing.state).toMatchObject({ definition: 'none', activity: 'not-loaded' })

        expect(await nothing.act('install')).toMatchObject({ status: 'applied' })
        const installed = await service.look()
        expect(installed.state).toMatchObject({
          definition: 'ours',
          activity: 'stopped',
          startsAtBoot: false,
          process: null,
        })

        expect(await installed.act('start', { starts: true })).toMatchObject({ status: 'applied' })
        await expect.poll(() => said(host(), ask(9991, '/health'))).toBe('200')
        expect(await said(host(), ask(9991, '/props'))).toBe('200')
        expect(await said(host(), ask(9991, '/props', 'wrong'))).toBe('401')
        const started = await service.look()
        expect(started.state).toMatchObject({
          definition: 'ours',
          activity: 'running',
          startsAtBoot: true,
          staleDefinition: false,
        })
        expect(started.differences()).toEqual([])
        expect(await said(host(), `pgrep -a llama-server`)).not.toContain(key)

        const smaller = await larger().look(false)
        expect(smaller.differences()).toMatchObject([
          { field: 'running.command.--ctx-size', from: '512', to: '1024' },
          { field: 'running.key' },
        ])
        expect(await smaller.act('update', { starts: true, interrupts: true })).toMatchObject({ status: 'applied' })
        await answers()
        expect(await said(host(), ask(9991, '/props'))).toBe('401')
        const updated = await larger().look()
        expect(updated.differences()).toEqual([])

        expect(await updated.act('restart', { starts: true, interrupts: true })).toMatchObject({ status: 'applied' })
        const restarted = await larger().look()
        expect(restarted.state.process).not.toEqual(updated.state.process)

        expect(await restarted.act('stop', { interrupts: true })).toMatchObject({ status: 'applied' })
        await restartEngine(host())
        const stopped = await larger().look()
        expect(stopped.state).toMatchObject({ activity: 'stopped', startsAtBoot: false })
        expect(await stopped.act('start', { starts: true })).toMatchObject({ status: 'applied' })
        await restartEngine(host())
        await expect.poll(async () => (await larger().observe()).activity).toBe('running')
      })

      it('whose update does not stay up is taken back, key and all', async () => {
        expect(await bad().act('update', { starts: true, interrupts: true })).toMatchObject({
          status: 'failed',
          undone: 'restored',
          problem: { why: expect.stringContaining('not-there') },
        })
        await answers()
        const restored = await larger().look()
        expect(restored.differences()).toEqual([])
        expect(restored.state).toMatchObject({ definition: 'ours', activity: 'running', staleDefinition: false })
      })

      it.each(restoringByHand.filter((one) => one === name))(
        'that a person changed in its place on %s is taken back to the last byte, with its mode and its owner',
        async () => {
          const file = '/etc/converge/compose/mcoder/compose.yaml'
          const byHand = await tookOver(host(), file, 'sed -i -e 1d -e s/1024/768/')
          await mustExec(host(), `$(command -v docker-compose || echo docker compose) -p mcoder -f ${file} up -d`)
          const foreign = await bad().look()
          expect(foreign.state).toMatchObject({ definition: 'foreign', activity: 'running' })
          expect(await foreign.act('update', { starts: true, interrupts: true })).toMatchObject({
            status: 'failed',
            undone: 'restored',
          })
          expect(await lookOf(host(), file)).toBe(byHand)
          expect(await said(host(), 'docker inspect -f "{{.State.Status}} {{.Config.Cmd}}" mcoder')).toMatch(
            /^running .*--ctx-size 768/,
          )
          await answers()
          expect(await larger().act('update', { starts: true, interrupts: true })).toMatchObject({ status: 'applied' })
        },
      )

      it('is not replaced by a definition that compose does not take, and leaves nothing when it is removed', async () => {
        const refused = await managed(host(), coder({ bind: 'no address' }), 'lab-key-2').look()
        expect(await refused.act('update', { starts: true, interrupts: true })).toMatchObject({
          status: 'failed',
          undone: 'restored',
        })
        const after = await larger().look()
        const { definitionDigest, process } = refused.state
        expect(after.state).toMatchObject({ definition: 'ours', activity: 'running', definitionDigest, process })
        expect(await after.act('remove', { interrupts: true })).toMatchObject({ status: 'applied' })
        expect(await larger().observe()).toMatchObject({ definition: 'none', activity: 'not-loaded' })
        expect(
          await said(
            host(),
            'docker ps -aq; docker network ls -q -f name=mcoder; find /etc/converge -name "mcoder*" -o -name "compose.y*"; ls /srv/models/tiny',
          ),
        ).toBe('tiny.gguf')
      })
    })

    it('a foreign container of the same name is left alone', async () => {
      await mustExec(host(), 'docker run -d --name mcoder --entrypoint sleep ghcr.io/ggml-org/llama.cpp:server 600')
      const service = managed(host(), coder(), key)
      const foreign = await service.look()
      expect(foreign.state).toMatchObject({ definition: 'foreign', definitionDigest: null })
      expect(await foreign.act('install', { starts: true })).toMatchObject({ status: 'failed', undone: 'not-needed' })
      expect(await said(host(), 'docker inspect -f {{.State.Status}} mcoder; ls /etc/converge/compose 2>/dev/null')).toBe(
        'running',
      )
      await mustExec(host(), 'docker rm -f mcoder')
    })

    it('what is put into the file comes out of the container', async () => {
      const env = Object.fromEntries(oddWords.map((word, index) => [`ODD_${index}`, word]))
      const given = coder({
        alias: 'a $b ${c} "d" \\e',
        extraArgs: oddWords,
        extraEnv: { ...env, ON: 'yes', N: 'no' },
        keyDelivery: 'inline',
      })
      const service = managed(host(), given, 'k$e${y}"\\#\'')
      expect(await service.act('install')).toMatchObject({ status: 'applied' })
      const made: { readonly Cmd: readonly string[]; readonly Env: readonly string[] } = JSON.parse(
        await mustExec(host(), 'docker inspect -f "{{json .Config}}" mcoder'),
      )
      expect(made.Cmd.slice(7, 8)).toEqual(['a $b ${c} "d" \\e'])
      expect(made.Cmd.slice(-oddWords.length - 2)).toEqual(['--api-key', 'k$e${y}"\\#\'', ...oddWords])
      expect(made.Env).toEqual(
        expect.arrayContaining([...Object.entries(env), ['ON', 'yes'], ['N', 'no']].map(([one, value]) => `${one}=${value}`)),
      )
      expect(await service.act('remove')).toMatchObject({ status: 'applied' })
    })

    it('the key of a Kind B reaches its environment from the file', async () => {
      const given = aService({
        kind: 'B',
        manager: 'compose',
        name: 'mflag',
        host: name,
        image: 'ghcr.io/ggml-org/llama.cpp:server',
        interpreter: undefined,
        executable: undefined,
        model: { path: '/srv/models/tiny' },
      })
      const service = managed(host(), given, 'k$e y"`#%=')
      expect(await service.act('install')).toMatchObject({ status: 'applied' })
      const env: readonly string[] = JSON.parse(await mustExec(host(), 'docker inspect -f "{{json .Config.Env}}" mflag'))
      expect(env).toEqual(expect.arrayContaining(['SRV_API_KEY=k$e y"`#%=', 'SRV_MODEL=/models', 'CTX=16384', 'RAM_GB=16']))
      expect(await service.act('remove')).toMatchObject({ status: 'applied' })
    })
  })
})

async function restartEngine(host: LabHost): Promise<void> {
  await mustExec(host, 'systemctl restart docker')
  await expect.poll(async () => (await host.exec('docker info')).exitCode).toBe(0)
}
