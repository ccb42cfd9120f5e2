import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { launchctl } from '../../simulation/mac/launchctl.ts'
import type { MacSite } from './mac-site.ts'

/** An agent as a person writes it. */
export interface HandMade {
  readonly label: string
  readonly port: number
  readonly plist: string
  /** Absent: once it is loaded. */
  readonly runs?: boolean
}

const prologue = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
`

/** Five agents in five styles; all run and answer. The last one starts its server through a shell. */
export async function handMadeAgents(site: MacSite): Promise<readonly HandMade[]> {
  const { mac, port } = site
  const { home, llamaServer: program } = mac
  const model = join(home, 'models/m.gguf')
  const keyFile = join(home, '.llama-key')
  await writeFile(keyFile, `${handMadeKeys.m}\n`, { mode: 0o600 })
  const agents: readonly HandMade[] = [
    {
      label: 'local.coder',
      port,
      plist: `${prologue}<plist version="1.0">
<dict>
	<key>Label</key>
	<string>local.coder</string>
	<key>ProgramArguments</key>
	<array>
		<string>${program}</string>
		<string>--model</string>
		<string>${model}</string>
		<string>--alias</string>
		<string>coder</string>
		<string>--host</string>
		<string>0.0.0.0</string>
		<string>--port</string>
		<string>${port}</string>
		<string>--ctx-size</string>
		<string>1024</string>
		<string>--jinja</string>
		<string>--api-key</string>
		<string>${handMadeKeys.coder}</string>
	</array>
	<key>RunAtLoad</key>
	<true/>
	<key>KeepAlive</key>
	<true/>
</dict>
</plist>
`,
    },
    {
      label: 'dev.llm.qwen_2.5',
      port: port + 1,
      plist: `${prologue}<!-- made by hand; do not touch the port -->
<plist version="1.0"><dict>
  <!-- -ngl 99: everything on the GPU -->
  <key>KeepAlive</key>  <dict><key>SuccessfulExit</key><false/></dict>
  <key>StandardOutPath</key>    <string>${home}/Library/Logs/qwen.log</string>
  <key>StandardErrorPath</key>  <string>${home}/Library/Logs/qwen.err</string>
  <key>ProgramArguments</key>   <array>
    <string>${program}</string>
    <string>-m</string> <string>${model}</string>
    <string>-c</string> <string>2048</string>
    <string>-ngl</string> <string>99</string>
    <string>-a</string> <string>Qwen 2.5</string>
    <string>--port</string> <string>${port + 1}</string>
    <string>--temp</string> <string>0.7</string>
  </array>
  <key>Label</key>              <string>dev.llm.qwen_2.5</string>
</dict></plist>
`,
    },
    {
      label: 'net.home.llm',
      port: port + 2,
      // Only the tools of a Mac read it.
      plist: `bplist00${prologue}<plist version="1.0"><dict>
<key>EnvironmentVariables</key><dict>
  <key>LLAMA_API_KEY</key><string>${handMadeKeys.home}</string>
  <key>LLAMA_ARG_ALIAS</key><string>home</string>
  <key>LLAMA_ARG_CTX_SIZE</key><string>4096</string>
  <key>LLAMA_ARG_HOST</key><string>127.0.0.1</string>
  <key>LLAMA_ARG_MODEL</key><string>${model}</string>
  <key>LLAMA_ARG_PORT</key><string>${port + 2}</string>
  <key>GGML_METAL_NO_RESIDENCY</key><string>1</string>
  <key>PATH</key><string>/opt/homebrew/bin:/usr/bin:/bin</string>
</dict>
<key>KeepAlive</key><true/>
<key>Label</key><string>net.home.llm</string>
<key>ProgramArguments</key><array><string>${program}</string></array>
<key>RunAtLoad</key><true/>
</dict></plist>
`,
    },
    {
      label: 'ai.writer',
      port: port + 3,
      plist: `${prologue}<plist version="1.0"><dict><key>Label</key><string>ai.writer</string><key>ProgramArguments</key><array><string>${program}</string><string>--port</string><string>${port + 3}</string><string>-m</string><string>${model}</string><string>--api-key-file</string><string>${keyFile}</string><string>-c</string><string>1024</string></array><key>RunAtLoad</key><true/><key>ProcessType</key><string>Background</string><key>ThrottleInterval</key><integer>30</integer><key>WorkingDirectory</key><string>/tmp</string></dict></plist>`,
    },
    {
      label: 'local.wrapped',
      port: port + 4,
      plist: `${prologue}<plist version="1.0">
<dict>
    <key>Label</key>
    <string>local.wrapped</string>
    <key>ProgramArguments</key>
    <array>
        <string>/bin/sh</string>
        <string>-c</string>
        <string>exec ${program} -m ${model} --port ${port + 4} --host 127.0.0.1 -c 1024 --jinja --alias wrapped</string>
    </array>
    <key>RunAtLoad</key>
    <true/>
</dict>
</plist>
`,
    },
  ]
  for (const agent of agents) await loadAgent(site, agent)
  return agents
}

export const handMadeKeys = { coder: 'hand-made-key-1', home: 'hand-made-key-2', m: 'hand-made-key-3' }

interface Place {
  readonly file?: string
  /** In the home; daemons have one place. */
  readonly folder?: string
  readonly domain?: string
}

/** Writes its property list, loads it and waits until it answers. */
export async function loadAgent(
  { mac }: MacSite,
  { label, port, plist, runs }: HandMade,
  { file = `${label}.plist`, folder = 'Library/LaunchAgents', domain = 'gui/501' }: Place = {},
): Promise<void> {
  const isDaemon = domain === 'system'
  const path = isDaemon ? mac.inward(`/Library/LaunchDaemons/${file}`) : join(mac.home, folder, file)
  await writeFile(path, plist, { mode: 0o644 })
  expect(await launchctl(mac.launchd, ['bootstrap', domain, path], isDaemon)).toEqual({ code: 0 })
  if (runs === false) return
  const health = () =>
    fetch(`http://127.0.0.1:${port}/health`).then(
      ({ status }) => status,
      () => 0,
    )
  await expect.poll(health).toBe(200)
}

interface Style {
  /** What comes before the server's own command. */
  readonly program?: readonly string[]
  /** More keys. */
  readonly more?: string
  /** Absent: it runs once loaded. */
  readonly runs?: boolean
}

/** A plain agent, whose server has the port of the site plus `offset`. */
export function agentOf(
  { mac, port: first }: MacSite,
  label: string,
  offset: number,
  { program = [], more = '', runs = true }: Style = {},
): HandMade {
  const port = first + offset
  const model = join(mac.home, 'models/m.gguf')
  const words = [
    ...program,
    mac.llamaServer,
    '-m',
    model,
    '--port',
    String(port),
    '-c',
    '1024',
    '-a',
    label.split('.').at(-1) ?? '',
  ]
  const strings = words.map((word) => `<string>${word}</string>`).join('')
  const keys = `<key>Label</key><string>${label}</string><key>ProgramArguments</key><array>${strings}</array>`
  const start = runs ? '<key>RunAtLoad</key><true/>' : ''
  return { label, port, runs, plist: `${prologue}<plist version="1.0"><dict>${keys}${start}${more}</dict></plist>\n` }
}
