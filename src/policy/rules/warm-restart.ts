import { ownMember } from '../../lib/own-member.ts'
import { hasEngine, restartsCheaply } from '../../servers/traits.ts'
import { firstAnswerWords } from '../../simulate/downtime.ts'
import { dropInsOf } from '../drop-ins.ts'
import type { ActionContext, Rule } from '../rule.ts'
import { warmthOf } from '../warmth.ts'

export const warmRestart: Rule = {
  code: 'WARM.RESTART',
  severity: 'refuse',
  title: 'A warm, or possibly warm, Kind B server would be stopped.',
  explain:
    'The action would stop a Kind B that is warm, or may be. The first generation after a start reads the whole model and can take up to an hour; ' +
    'a stop loses that work. A Kind B counts as warm once it has completed a chat since its start. If that is unknown, it is treated as warm. A ' +
    'changed definition is still written and takes effect at the next restart. Approval when the cold hour is planned for.',
  consentable: true,
  checkAction(context) {
    const { action, service, host, before, facts } = context
    if (restartsCheaply(service.kind) || !action.interrupts || ownMember(before.services, service.name)?.running !== true)
      return []
    const warm = warmthOf(ownMember(facts.http, service.name)) === 'warm'
    return [
      {
        summary: warm ? 'A warm Kind B server would be stopped.' : 'A Kind B server that may be warm would be stopped.',
        why: `${service.name} on ${host.name} ${warm ? 'is warm' : 'runs, and whether it is warm cannot be told'}. To ${action.kind} it would cost its cache, and the first answer after the next start ${firstAnswerWords(context)}.`,
        evidence: [
          ...processLine(context),
          completionsLine(context),
          ...engineLine(context),
          ...dropInLines(context),
          ...waitingLines(context),
        ],
        next: [
          'Choose an hour in which it is not needed, and approve the restart then.',
          ...(action.kind === 'restart' ? ['Or leave it: what is written takes effect at the next restart.'] : []),
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
  if (http?.known !== true) return 'its /health could not be asked'
  const { completed } = http.value
  if (!completed.known) return 'its /health does not tell how many chats it completed'
  return `chats completed since its start: ${completed.value}`
}

/** What a restart would bring to run: where it is written already, nothing else in the plan tells what waits. */
function waitingLines({ action }: ActionContext): readonly string[] {
  if (action.kind !== 'restart') return []
  return action.changes.map(
    ({ field, from, to }) => `waits: ${field.replace(/^running\./, '')} ${from ?? '(none)'} → ${to ?? '(none)'}`,
  )
}

function dropInLines(context: ActionContext): readonly string[] {
  return dropInsOf(context).map((path) => `its unit is changed by the drop-in ${path}`)
}

/** A front outlives its engine and goes on answering /health; only a chat would tell. Worth saying, not enough to decide by. */
function engineLine({ facts, state }: ActionContext): readonly string[] {
  const front = facts.residents.known ? facts.residents.value.find((one) => one.pid === state.process?.pid) : undefined
  if (front === undefined || !hasEngine(front) || !facts.residents.known) return []
  const isSeen = facts.residents.value.some((one) => one.role === 'engine' && one.ppid === front.pid)
  return isSeen ? [] : ['no engine process is seen below it: if chats fail, the engine has died and there is no cache to lose']
}
