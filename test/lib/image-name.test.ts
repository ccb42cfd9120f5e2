import { expect, test } from 'vitest'
import { isPinnedImage, repositoryOf, shortDigest } from '../../src/lib/image-name.ts'

const digest = `sha256:${'0abc'.repeat(16)}`

test.each([
  ['llama', 'llama'],
  ['llama:1', 'llama'],
  ['ghcr.io/ggml-org/llama.cpp:server', 'ghcr.io/ggml-org/llama.cpp'],
  ['nas:5000/llama', 'nas:5000/llama'],
  ['nas:5000/llama:1', 'nas:5000/llama'],
  [`nas:5000/llama:1@${digest}`, 'nas:5000/llama'],
])('%s is of the repository %s', (image, repository) => {
  expect(repositoryOf(image)).toBe(repository)
  expect(isPinnedImage(image)).toBe(image.includes('@'))
})

test('a short digest keeps its algorithm', () => expect(shortDigest(digest)).toBe('sha256:0abc0abc0abc'))
