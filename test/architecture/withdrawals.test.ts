import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

/** Each promise of `docs/SECURITY.md` on the end of rights is kept by tests: a file, and a part of a test's name in it. */
const tests: Readonly<Record<string, readonly (readonly [file: string, name: string])[]>> = {
  'Rights end with the commit of the change that withdraws them': [
    ['forge/held-changes.test.ts', 'a token that is deleted before the transaction gives no rights'],
    [
      'forge/held-changes.test.ts',
      'an account that is prohibited to sign in before the transaction has no rights',
    ],
    ['forge/held-changes.test.ts', 'a unit that is switched off before the transaction is off'],
    ['forge/held-changes.test.ts', 'an administrator who is demoted before the transaction is none'],
    ['forge/held-changes.test.ts', 'an owner who leaves the organization before the transaction is none'],
    [
      'forge/held-changes.test.ts',
      'an owner whose repositories are transferred before the transaction has lost them',
    ],
    ['forge/code/withdrawn.test.ts', 'moves nothing for a collaborator who is removed before the move'],
    ['forge/auth/credentials.test.ts', 'a deleted token and a deleted account are refused at once'],
    ['pages/session-ends.test.ts', 'sessions of password and token'],
  ],
  '| a request of the API or a page |': [
    ['forge/held-requests.test.ts', 'a token that is deleted while the body is held back gives no rights'],
    ['forge/held-requests.test.ts', 'an administrator who is demoted while the body is held back is none'],
    [
      'forge/held-requests.test.ts',
      'an owner whose repository is transferred while the body is held back has lost it',
    ],
    ['forge/held-requests.test.ts', 'a unit that is switched off while the body is held back is off'],
  ],
  '| a request of a clone or fetch |': [
    ['forge/push/held-git.test.ts', 'serves nothing after a held body'],
    ['forge/push/held-git.test.ts', 'a request of a clone that git serves already completes'],
  ],
  '| a push |': [['forge/push/held-git.test.ts', 'moves nothing when ${what} while git works']],
  '| an upload of a package |': [
    [
      'forge/held-requests.test.ts',
      'PUT /api/packages/{owner}/generic/{package}/{version}/{file} publishes nothing',
    ],
    ['forge/held-requests.test.ts', 'PUT /api/packages/{owner}/npm/{name} publishes nothing'],
  ],
  '| a call of a runner |': [
    [
      'forge/held-requests.test.ts',
      'a runner that is deleted while the body of its poll is held back gets no job',
    ],
  ],
  'A transfer of a repository ends in its own transaction': [
    [
      'forge/repo-lifecycle/transfer-work.test.ts',
      'ends jobs, their tokens, the runners of the repository and their token',
    ],
    [
      'forge/repo-lifecycle/transfer-work.test.ts',
      'runners of the former owner get no job of a transferred repository',
    ],
    ['forge/repo-lifecycle/transfer-work.test.ts', 'a push before a transfer starts no run after it'],
    ['forge/repo-lifecycle/transfers.test.ts', 'Teams lose a repository that leaves their organization'],
  ],
  'The recipient of an offer can read and accept': [
    ['forge/repo-lifecycle/transfer-offer.test.ts', 'finds no offer after its maker'],
    ['forge/repo-lifecycle/transfer-offer.test.ts', 'finds no offer after the team of its maker'],
    ['forge/repo-lifecycle/transfer-offer.test.ts', 'unless that user is prohibited from signing in'],
  ],
  'The new owner keeps what belongs to the repository': [
    [
      'forge/repo-lifecycle/transfer-work.test.ts',
      'collaborators, webhooks, secrets and variables of a repository stay with it',
    ],
  ],
  'The secrets of the new owner reach its jobs': [
    ['forge/repo-lifecycle/transfer-work.test.ts', 'one of the new owner does'],
  ],
  'Runners and registration tokens do not end': [
    ['forge/actions/registration-token.test.ts', 'runners that have registered stay'],
  ],
  'When an owner leaves an organization': [
    ['forge/actions/registration-token.test.ts', 'replaces the token of this scope alone'],
  ],
}

/** The sentences and rows of tables of a section. */
function promisesOf(heading: string): string[] {
  const [, section = ''] = readFileSync('docs/SECURITY.md', 'utf8').split(`\n## ${heading}\n`)
  const [text = ''] = section.split('\n## ')
  return text.split('\n\n').flatMap((block) =>
    block.trim().startsWith('|')
      ? block.trim().split('\n').slice(2)
      : block
          .replaceAll('\n', ' ')
          .trim()
          .split(/(?<=\.) (?=[A-Z])/),
  )
}

test('each promise of docs/SECURITY.md on the end of rights is kept by a test, and no other is listed', () => {
  const promises = promisesOf('When a withdrawal takes effect')
  const known = Object.keys(tests)
  assert.ok(promises.length > 10)
  assert.deepEqual(
    promises.filter((promise) => !known.some((begin) => promise.startsWith(begin))),
    [],
    'promises without a test',
  )
  assert.deepEqual(
    known.filter((begin) => !promises.some((promise) => promise.startsWith(begin))),
    [],
    'tests of promises that nobody makes',
  )
  const missing = Object.values(tests)
    .flat()
    .filter(([file, name]) => !readFileSync(`test/${file}`, 'utf8').includes(name))
  assert.deepEqual(missing, [], 'tests that are not there')
})
