import type { Argument, CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import { offerOf } from '../offered-values.ts'
import { createProgram } from '../program.ts'
import { topics } from '../topics/index.ts'
import { explanations } from '../verbs/explain.ts'
import { verbs } from '../verbs/index.ts'
import type { CommandLine, OptionShape, ValueShape, VerbShape } from './command-line.ts'

/** Taken from what the command line itself is parsed with, so that completion cannot differ from it. Loads every verb. */
export async function describeCommandLine(): Promise<CommandLine> {
  const program = await createProgram(Object.keys(verbs), async () => {})
  return {
    options: optionsOf(program),
    verbs: program.commands.map(
      (command): VerbShape => ({
        name: command.name(),
        about: command.summary(),
        options: optionsOf(command),
        values: command.registeredArguments.map(shapeOfArgument),
      }),
    ),
    topics: Object.entries(topics).map(([name, { summary }]) => ({ name, about: summary })),
    codes: explanations().map(({ code, title, consentable }) => ({
      name: code,
      about: title,
      isApprovable: consentable === true,
    })),
  }
}

function optionsOf(command: CommandUnknownOpts): readonly OptionShape[] {
  const visible = command.createHelp().visibleOptions(command)
  return [...visible, ...command.options.filter((option) => !visible.includes(option))].map(shapeOfOption)
}

function shapeOfOption(option: Option): OptionShape {
  const { long, short, description, required, optional, hidden } = option
  const { values, isRepeatable } = offerOf(option)
  const name = /[<[](.+?)(?:\.\.\.)?[>\]]$/.exec(option.flags)?.[1] ?? ''
  return {
    long,
    short,
    about: description,
    value: required || optional ? { name, isOptional: !required, isVariadic: option.variadic, values } : undefined,
    isRepeatable,
    isHidden: hidden,
    excludes: excludedBy(option),
  }
}

/** Commander names the attributes of the options; it keeps them in a field that its types do not have. */
function excludedBy(option: Option): readonly string[] {
  const attributes: unknown = Reflect.get(option, 'conflictsWith')
  if (!Array.isArray(attributes)) return []
  return attributes.map((name) => `--${String(name).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`)
}

function shapeOfArgument(argument: Argument): ValueShape {
  const { values } = offerOf(argument)
  return { name: argument.name(), isOptional: !argument.required, isVariadic: argument.variadic, values }
}
