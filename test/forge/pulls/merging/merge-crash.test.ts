import assert from 'node:assert/strict'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openHome, type Serving, serveBinary, stopBinary } from '../../../support/binary.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { basic } from '../../../support/forge/make.ts'
import { client, clientOk } from '../../../support/git.ts'
import { gitBehind } from '../../../support/git-program.ts'
import { until } from '../../../support/wait.ts'

/** A server that is killed while it merges leaves each pull request merged or open, and everything agrees about it. */

/** A git that says `held` and waits, at the place whose file there is. The process that moves refs stays open between moves. */
const held = `name=$(basename "$PWD" .git)
hold() {
  [ -e "$here/at-$1" ] || return 0
  : > "$here/$name.held"; i=0
  while [ -e "$here/at-$1" ] && [ $i -lt 3000 ]; do sleep 0.02; i=$((i + 1)); done
  rm -f "$here/$name.held"
}
case " $* " in
*" merge-tree "*) hold commit;;
*" for-each-ref "*) hold publish;;
*" update-ref "*)
  while IFS= read -r line; do
    if [ "$line" = start ]; then hold move; [ -e "$here/$name.moved" ] && hold delete; fi
    echo "$line"
  done | "$real" "$@" | while IFS= read -r line; do
    if [ "$line" = "commit: ok" ]; then [ -e "$here/at-delete" ] && : > "$here/$name.moved"; hold moved; fi
    echo "$line"
  done
  exit;;
esac`

const styles = ['merge', 'squash', 'rebase', 'rebase-merge', 'fast-forward-only']

/**
 * Places of a merge at which the server is killed, in their order: whether the base branch has moved by then, and the styles to
 * try there; the last ones do not differ by them.
 */
const places = [
  ['commit', 'before the commit is made', false, ['merge', 'rebase']],
  ['move', 'when the merge is announced', false, styles],
  ['moved', 'when the base branch has moved', true, styles],
  ['publish', 'while it reads what to publish', true, ['squash', 'rebase-merge']],
  ['delete', 'before it deletes the head branch', true, ['merge', 'fast-forward-only']],
] as const

const folder = await temporaryFolder()
const home = await openHome()
const environment = {
  ...home.environment,
  PATH: await gitBehind(folder, held),
  ADMIN_USERNAME: 'ada',
  ADMIN_PASSWORD: 'a-password-for-tests',
}
const headers = { ...basic('ada', environment.ADMIN_PASSWORD), 'content-type': 'application/json' }

let server: Serving
after(() => server.signal('SIGKILL'))

async function ask(literal: string, body?: object) {
  const [method = '', path] = literal.split(' ')
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
  const response = await fetch(`${server.url}/api/v1${path}`, init)
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}

async function made(literal: string, body: object) {
  const answer = await ask(literal, body)
  assert.equal(answer.status, 201, `${literal} ${JSON.stringify(answer.body)}`)
  return answer.body
}

const write = (style: string, file: string, more: object = {}) =>
  made(`POST /repos/ada/${style}/contents/${file}`, { content: '', message: file, branch: 'main', ...more })

interface Proposal {
  style: string
  file: string
  number: number
  issue: number
  head: string
}

/** A pull request that adds a file, and the issue that it closes; the base branch has moved since, where it may. */
async function propose(style: string, branch: string): Promise<Proposal> {
  const file = `${branch}.txt`
  const { commit } = await write(style, file, { new_branch: branch })
  if (style !== 'fast-forward-only') await write(style, `beside-${file}`)
  const { number: issue } = await made(`POST /repos/ada/${style}/issues`, { title: branch })
  const body = { title: branch, body: `Closes #${issue}`, head: branch, base: 'main' }
  const { number } = await made(`POST /repos/ada/${style}/pulls`, body)
  return { style, file, number, issue, head: commit.sha }
}

const merge = ({ style, number }: Proposal) =>
  ask(`POST /repos/ada/${style}/pulls/${number}/merge`, { Do: style, delete_branch_after_merge: true })

const waiting = async () => (await readdir(folder)).filter((name) => name.endsWith('.held')).length

/** Merges all of them, and kills the server when each has come to a place or has an answer. */
async function killAt(place: string, proposals: readonly Proposal[]): Promise<void> {
  await writeFile(join(folder, `at-${place}`), '')
  let answered = 0
  const merging = proposals.map((proposal) =>
    merge(proposal).then(
      () => answered++,
      () => {},
    ),
  )
  await until('all merges are under way', async () => answered + (await waiting()) === proposals.length)
  server.signal('SIGKILL')
  await Promise.all([server.ended, ...merging])
  await rm(join(folder, `at-${place}`))
  await until('no git waits', async () => (await waiting()) === 0)
  for (const { style } of proposals) await rm(join(folder, `${style}.moved`), { force: true })
}

/** Whether a merge has happened; everything says the same. */
async function outcomeOf({ style, file, number, issue, head }: Proposal): Promise<boolean> {
  const at = `/repos/ada/${style}`
  const { body: pull } = await ask(`GET ${at}/pulls/${number}`)
  const path = join(home.dataDir, 'repositories', 'ada', `${style}.git`)
  const isOn = (await clientOk(path, 'ls-tree', '--name-only', 'main')).split('\n').includes(file)
  const entries = (await ask(`GET ${at}/issues/${number}/timeline`)).body
  const merges = entries.filter(({ type }: { type: string }) => type === 'merge_pull')
  const closing = (await ask(`GET ${at}/issues/${issue}`)).body.state
  assert.deepEqual(
    [
      pull.merged,
      pull.state,
      merges.length,
      closing,
      await clientOk(path, 'rev-parse', `refs/pull/${number}/head`),
    ],
    [isOn, isOn ? 'closed' : 'open', isOn ? 1 : 0, isOn ? 'closed' : 'open', head],
    `${style} ${file}`,
  )
  if (isOn) await clientOk(path, 'merge-base', '--is-ancestor', pull.merge_commit_sha, 'main')
  return isOn
}

/** The repository of a style is whole, and counts what is open. */
async function requireWhole(style: string, open: number): Promise<void> {
  const path = join(home.dataDir, 'repositories', 'ada', `${style}.git`)
  const { code, stdout, stderr } = await client(path, 'fsck', '--strict', '--full')
  assert.deepEqual([code, `${stdout}${stderr}`.replace(/^dangling .*\n/gm, '')], [0, ''], style)
  const { body } = await ask(`GET /repos/ada/${style}`)
  assert.deepEqual([body.open_pr_counter, body.open_issues_count], [open, open], style)
}

test('POST /api/v1/repos/{owner}/{repo}/pulls/{index}/merge happens or does not when its server is killed', async (t) => {
  server = await serveBinary(environment)
  for (const style of styles) await made('POST /user/repos', { name: style, auto_init: true })
  const open = new Map(styles.map((style) => [style, 0]))
  for (const [place, when, isMerged, tried] of places)
    await t.test(when, async () => {
      const proposals = await Promise.all(tried.map((style) => propose(style, place)))
      await killAt(place, proposals)
      server = await serveBinary(environment)
      for (const proposal of proposals) {
        const { style, number } = proposal
        await until('what was merged is published', async () => {
          const { body } = await ask(`GET /repos/ada/${style}/pulls/${number}`)
          return body.merged === isMerged
        })
        assert.equal(await outcomeOf(proposal), isMerged)
        // Nobody knows that nobody moves the branch any more, when a merge was announced.
        const again = isMerged || place === 'move' ? 405 : 200
        assert.equal((await merge(proposal)).status, again, `${style} ${place}`)
        const isOpen = !isMerged && again !== 200
        open.set(style, (open.get(style) ?? 0) + (isOpen ? 1 : 0))
        assert.equal(await outcomeOf(proposal), !isOpen)
        await requireWhole(style, open.get(style) ?? 0)
      }
    })
  assert.deepEqual([...open.values()], [1, 1, 1, 1, 1])
  const { code } = await stopBinary(server)
  assert.equal(code, 0)
})
