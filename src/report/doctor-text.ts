import { counted } from '../lib/counted.ts'
import type { Check, DoctorDocument, Subject, Verdict } from '../model/doctor-document.ts'
import { indent } from './indent.ts'
import type { Paint, PaintStyle } from './paint.ts'
import { nextLines } from './problem-text.ts'

const signs: Readonly<Record<Verdict, readonly [PaintStyle, string]>> = {
  ok: ['green', '✓'],
  note: ['yellow', '!'],
  problem: ['red', '✗'],
}

const names: Readonly<Record<Subject, string>> = {
  node: 'Node',
  ssh: 'ssh',
  'ssh-keygen': 'ssh-keygen',
  agent: 'SSH agent',
  state: 'state folder',
  cache: 'cache folder',
  clock: 'clock',
  terminal: 'terminal',
  inventory: 'inventory',
  schedules: 'schedules',
}

const width = Math.max(...Object.values(names).map((name) => name.length))

/** A line for each check, with its remedy below it, and a last line that says whether converge can work here. */
export function renderDoctor({ checks }: DoctorDocument, paint: Paint): string {
  return [...checks.map((check) => checkText(check, paint)), '', summaryOf(checks), ''].join('\n')
}

function checkText({ about, verdict, found, next }: Check, paint: Paint): string {
  const [style, sign] = signs[verdict]
  const line = `${paint([style], sign)} ${names[about].padEnd(width)}  ${paint.hang}${found}`
  return [line, ...nextLines(next, paint).map((one) => indent(one, width + 4))].join('\n')
}

function summaryOf(checks: readonly Check[]): string {
  const problems = checks.filter(({ verdict }) => verdict === 'problem').length
  const notes = checks.filter(({ verdict }) => verdict === 'note').length
  const also = notes === 0 ? '' : `, ${counted(notes, 'note')}`
  if (problems > 0) return `converge cannot work fully on this machine: ${counted(problems, 'problem')}${also}.`
  return `This machine has what converge needs${notes === 0 ? '' : ` (${counted(notes, 'note')})`}.`
}
