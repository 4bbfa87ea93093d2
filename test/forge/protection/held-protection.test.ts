import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../support/folder.ts'
import { startProtected } from '../../support/forge/protected.ts'
import { clientOk } from '../../support/git.ts'
import { gitBehind } from '../../support/git-program.ts'
import { until } from '../../support/wait.ts'

const folder = await temporaryFolder()
/** A git that, where there is a file `wait`, waits in each push when it has all of it. */
const slow = `case " $* " in *" receive-pack --stateless-rpc . "*)
  [ -e "$here/wait" ] || exec "$real" "$@"
  cat > "$here/body"; : > "$here/begun"
  while [ -e "$here/wait" ]; do sleep 0.02; done
  exec "$real" "$@" < "$here/body";;
esac`
const { PATH } = process.env
process.env.PATH = await gitBehind(folder, slow)
const { ada, bob, repository } = await startProtected()
process.env.PATH = PATH

for (const [kind, ref, said, body] of [
  ['branch', 'refs/heads/main', 'Not allowed to push to protected branch main', { rule_name: 'main' }],
  ['tag', 'refs/tags/v1', 'Tag v1 is protected', { name_pattern: 'v*', whitelist_usernames: ['ada'] }],
] as const)
  test(`POST /{owner}/{repo}/git-receive-pack: a rule of a ${kind} that is created during a push refuses it`, async () => {
    const repo = await repository()
    await repo.commit({ a: 'a' })
    const before = await clientOk(repo.path, 'for-each-ref')
    await writeFile(join(folder, 'wait'), '')
    const pushing = repo.push(bob, `HEAD:${ref}`)
    await until('git has the push', () => existsSync(join(folder, 'begun')))
    const made = await repo.ask(ada, `POST /api/v1/repos/{owner}/{repo}/${kind}_protections`, { body })
    await rm(join(folder, 'wait'))
    await rm(join(folder, 'begun'))
    assert.equal(made.status, 201)
    assert.equal(await pushing, said)
    assert.equal(await clientOk(repo.path, 'for-each-ref'), before)
  })
