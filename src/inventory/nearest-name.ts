// For who still asks under the old name; the rule itself moved.
export { nearest as nearestName } from './did-you-mean.ts'
