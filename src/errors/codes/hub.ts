import type { CatalogueEntry } from './entry.ts'

export const hubCodes = {
  'HUB.UNREACHABLE': {
    exit: 4,
    title: 'the model hub does not answer',
    explain:
      'The hub of a model source did not answer, or only reported that it is too busy, even after several attempts. Its answer is unknown, so converge decides nothing that depends on it. Check the proxy: `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are used as usual. `NODE_EXTRA_CA_CERTS` names a file with your own certificates. To use a mirror, set `model.source.hub`.',
  },
  'HUB.DENIED': {
    exit: 4,
    title: 'the model hub denies access to this repository',
    explain:
      'The hub answered 401 or 403. The repository is private or gated, or the account of the token has not accepted its terms. Or the token is wrong or expired, or there is no such repository. Many hubs give strangers the same answer for private and missing repositories. Open its page, accept its terms there, and name a token: `token: { env: HF_TOKEN }` below `model.source`.',
  },
  'HUB.ABSENT': {
    exit: 4,
    title: 'the model hub has no such repository or revision',
    explain:
      'The hub answered 404. Compare `model.source.repo` and `revision` with the page of the repository. The repository may have been removed or made private, or a branch or tag deleted.',
  },
  'HUB.UNREADABLE': {
    exit: 4,
    title: 'the answer is not from a model hub',
    explain:
      'The answer is not one that a hub gives: a proxy or login page, a redirect to another host, or another program at that address. converge used none of it. Check `model.source.hub`; it is the base address, without `/api`.',
  },
  'HUB.NOT_ASKED': {
    exit: 64,
    title: 'model hubs are not contacted for an untrusted inventory',
    explain:
      'With `--no-secret-commands` the inventory is untrusted, and it names the hub: contacting it would expose this machine and the token. Omit the option if you trust the inventory.',
  },
  'PIN.FILES': {
    exit: 4,
    title: 'the repository has no such model',
    explain:
      'At the commit of the branch or tag, `model.source.files` matches nothing, or not exactly one model. A Kind A is one GGUF file, or all parts of one that was split; vision projectors (`mmproj…`) do not count. Names and globs start at the top of the repository; `*` matches folders as well. converge did not write this commit, because a commit without the model is of no use.',
  },
  'PIN.SHARED': {
    exit: 4,
    title: 'two models share one `revision` line',
    explain:
      'Two model sources of different repositories, hubs or revisions take their `revision` from the same line, through an anchor, `<<` or a group. A commit belongs to one repository, so converge cannot write one there. Give each of the two its own `revision`.',
  },
  'PIN.UNWRITABLE': {
    exit: 4,
    title: 'the commit cannot be written into the inventory file',
    explain:
      'The file is written in a way that converge cannot edit at this place: a block of text (`revision: >-`), or a key with its own anchor. Nothing was changed there. Write the commit by hand.',
  },
} as const satisfies Record<string, CatalogueEntry>
