import { exitCodes } from '../../context/exit-code.ts'
import { ConvergeError } from '../../errors/converge-error.ts'
import { converge } from '../../lib/next-command.ts'
import { wordHint } from '../hints/word-hint.ts'
import { renderTopic } from '../render-topic.ts'
import { topics } from '../topics/index.ts'
import type { Verb } from '../verb.ts'

/** `converge help [NAME]`: the help of a verb, or one of the topics. */
export const verb: Verb = {
  configure(command, finish) {
    command.argument('[command | topic]', 'a command or a topic (default: list them all)').action((name) =>
      finish(async ({ out }) => {
        const program = command.parent
        const called = name === undefined ? program : program?.commands.find((one) => one.name() === name)
        const topic = name === undefined || !Object.hasOwn(topics, name) ? undefined : topics[name]
        if (called !== null && called !== undefined) called.outputHelp()
        else if (topic === undefined) throw unknown(name ?? '', program?.commands.map((one) => one.name()) ?? [])
        else {
          const help = command.createHelp()
          help.prepareContext({ helpWidth: out.columns ?? 80 })
          out.writeProse(renderTopic(topic, (await topic.load()).topic, help))
        }
        return exitCodes.done
      }),
    )
  },
}

function unknown(name: string, verbs: readonly string[]): ConvergeError {
  return new ConvergeError('USAGE.COMMAND', {
    summary: 'There is no such command or topic.',
    why: `\`converge help\` has no page \`${name}\`.`,
    next: [...wordHint(name, verbs), converge(['help'], { note: 'lists all commands and topics' })],
  })
}
