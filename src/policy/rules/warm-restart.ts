import { ownMember } from '../../lib/own-member.ts'
import { hasEngine, restartsCheaply } from '../../servers/traits.ts'
import { firstAnswerWords } from '../../simulate/downtime.ts'
import { dropInsOf } from '../drop-ins.ts'
import type { ActionContext, Rule } from '../rule.ts'
import { warmthOf } from '../warmth.ts'
import { gerunds } from '../words.ts'

export const warmRestart: Rule = {
  code: 'WARM.RESTART',
  severity: 'refuse',
  title: 'A warm, or possibly warm, Kind B server would be stopped.',
  explain:
    'The action would stop a Kind B server that is or may be warm. A Kind B counts as warm once it has completed a chat since its start. If ' +
    'that is unknown, it is treated as warm. The first answer after a start reads the whole model and can take up to an hour; a stop loses ' +
    'that work. The new definition is still written and takes effect at the next restart. Approve it when you can afford an hour of warm-up.',
  consentable: true,
  checkAction(context) {
    const { action, service, host, before, facts } = context
    if (restartsCheaply(service.kind) || !action.interrupts || ownMember(before.services, service.name)?.running !== true)
      return []
    const warm = warmthOf(ownMember(facts.http, service.name)) === 'warm'
    return [
      {
        summary: warm ? 'A warm Kind B server would be stopped.' : 'A Kind B server that may be warm would be stopped.',
        why: `${service.name} on ${host.name} ${warm ? 'is warm' : 'is running; whether it is warm is unknown'}. ${gerunds[action.kind]} it would lose its cache. The first answer after the next start ${firstAnswerWords(context)}.`,
        evidence: [
          ...processLine(context),
          completionsLine(context),
          ...engineLine(context),
          ...dropInLines(context),
          ...pendingLines(context),
        ],
        next: [
          `Approve it (--allow) at a time when ${service.name} is not needed.`,
          ...(action.kind === 'restart' && action.changes.length > 0
            ? ['Or leave it running: the new definition takes effect at the next restart.']
            : []),
        ],
      },
    ]
  },
}

function processLine({ state }: ActionContext): readonly string[] {
  return state.process === null ? [] : [`it runs as pid ${state.process.pid}`]
}

function completionsLine({ facts, service }: ActionContext): string {
  const http = ownMember(facts.http, service.name)
  if (http?.known !== true) return 'its /health could not be read'
  const { completed } = http.value
  if (!completed.known) return 'its /health does not report completed chats'
  return `chats completed since its start: ${completed.value}`
}

/** The changes that a restart would activate: if they are written already, nothing else in the plan shows them. */
function pendingLines({ action }: ActionContext): readonly string[] {
  if (action.kind !== 'restart') return []
  return action.changes.map(
    ({ field, from, to }) => `pending: ${field.replace(/^running\./, '')} ${from ?? '(none)'} → ${to ?? '(none)'}`,
  )
}

function dropInLines(context: ActionContext): readonly string[] {
  return dropInsOf(context).map((path) => `its unit is changed by the drop-in ${path}`)
}

/** A front outlives its engine and still answers /health; only a chat would show that. It is a hint, not enough for a decision. */
function engineLine({ facts, state }: ActionContext): readonly string[] {
  const front = facts.residents.known ? facts.residents.value.find((one) => one.pid === state.process?.pid) : undefined
  if (front === undefined || !hasEngine(front) || !facts.residents.known) return []
  const isSeen = facts.residents.value.some((one) => one.role === 'engine' && one.ppid === front.pid)
  return isSeen ? [] : ['it has no engine process below it: if chats fail, the engine has died and there is no cache to lose']
}
