import type { Form } from '../../src/model/version-document.ts'

/** What to do after the tour, with the words that start converge for this form of it. */
export function nextSteps(form: Form): string {
  const converge = form === 'checkout' ? 'npx converge' : 'converge'
  const steps: readonly (readonly [string, string])[] = [
    [`${converge} demo --keep`, 'keeps the fleet up for you to try commands'],
    [`${converge} init USER@HOST`, 'writes an inventory of a host of yours'],
    form === 'checkout'
      ? ['inventories/home', 'a commented inventory to start from']
      : [`${converge} init --example mac`, 'a commented inventory to start from'],
    [`${converge} explain CODE`, 'what a refusal means, and what to do'],
    [`${converge} --help`, 'all commands'],
  ]
  const width = Math.max(...steps.map(([words]) => words.length))
  return steps.map(([words, says]) => `${words.padEnd(width)}  ${says}\n`).join('')
}

/** Where a second command line reaches the fleet of this one. */
export function elsewhere(form: Form): string {
  return form === 'container' ? 'In another shell of this container (docker exec -it CONTAINER sh)' : 'In another terminal'
}
