import type { CatalogueEntry } from './entry.ts'

export const hubCodes = {
  'HUB.UNREACHABLE': {
    exit: 4,
    title: 'the model hub does not answer',
    explain:
      'The hub of a model source did not answer, or only that it is too busy, also after some tries. What it would have said is unknown, so nothing is decided that depends on it. `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are used as usual; `NODE_EXTRA_CA_CERTS` names a file with certificates of your own. A mirror is named by `model.source.hub`.',
  },
  'HUB.DENIED': {
    exit: 4,
    title: 'the model hub does not show this repository',
    explain:
      'The hub answered 401 or 403: the repository is private or gated, its terms were not accepted by the account of the token, the token is wrong or has expired, or there is no such repository (to strangers many hubs say the same of both). Look at its page, accept its terms there, and name a token: `token: { env: HF_TOKEN }` below `model.source`.',
  },
  'HUB.ABSENT': {
    exit: 4,
    title: 'the model hub has no such repository or revision',
    explain:
      'The hub answered 404. Compare `model.source.repo` and `revision` with the page of the repository: a repository may have been removed or made private, and a branch or tag may be gone.',
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
      'At the commit where the branch or tag is, `model.source.files` matches nothing, or not one model: a kind A is one GGUF file, or all parts of one that was split (vision projectors, `mmproj…`, do not count). Names and globs count from the top of the repository; `*` matches folders as well. Nothing was written for it, because a commit without the model is of no use.',
  },
  'PIN.SHARED': {
    exit: 4,
    title: 'one line is the revision of two models',
    explain:
      'Two model sources, of different repositories, hubs or revisions, have their `revision` from the same place, by an anchor, `<<` or a group. A commit is one of one repository, so none can be written there. Write a `revision` of its own into each of the two.',
  },
  'PIN.UNWRITABLE': {
    exit: 4,
    title: 'the commit cannot be written where the source stands',
    explain:
      'The commit would replace or follow something that cannot be cut out of the file as it is written there: a block of text (`revision: >-`), or a key with an anchor of its own. Nothing was changed there; write the commit by hand.',
  },
  'PIN.CHANGED': {
    exit: 65,
    title: 'the inventory changed in the meantime',
    explain:
      'One of the inventory files changed after converge read it, so converge did not overwrite it. Run `converge pin` again.',
  },
} as const satisfies Record<string, CatalogueEntry>
