import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { done } from '../../common/outcome.ts'
import type { Git } from '../program/git.ts'
import { fault, type GitOutcome } from '../program/outcome.ts'
import { forbiddenSetting } from './config.ts'
import { containsOther, entriesOf, isPlainDirectory, kindOf } from './files.ts'
import type { ObjectFormat } from './write-objects.ts'

/** Files and folders with which git continues in another directory (gitrepository-layout(5)). */
const leads = [
  'objects/info/alternates',
  'objects/info/http-alternates',
  'commondir',
  'gitdir',
  'worktrees',
  'modules',
  'config.worktree',
]

/** Maximum bytes of a configuration. */
const maxConfig = 64 * 1024

/**
 * The rest of a sentence about a directory of others, if git would read files outside it: of other repositories or of the
 * machine. Otherwise undefined. Hooks may be links: this server runs none.
 */
export async function leadsOutside(directory: string): Promise<string | undefined> {
  for (const lead of leads)
    if ((await kindOf(join(directory, lead))) !== 'nothing') return `has ${lead}, which leads out of it`
  for (const entry of await entriesOf(directory)) {
    if (entry.name === 'hooks' || entry.isFile()) continue
    if (!entry.isDirectory() || (await containsOther(join(directory, entry.name))))
      return `has a link or special file at ${JSON.stringify(entry.name)} or below it`
  }
  const config = join(directory, 'config')
  if ((await kindOf(config)) === 'nothing') return undefined
  if ((await stat(config)).size > maxConfig) return 'has a configuration that is too large'
  const setting = forbiddenSetting(await readFile(config, 'utf8'))
  return setting === undefined
    ? undefined
    : `has a configuration with ${setting}, which this server does not take over`
}

/** Lets git examine a directory of others (`Repositories.inspect`). */
export async function inspect(
  git: Git,
  path: string | undefined,
): Promise<GitOutcome<{ format: ObjectFormat }>> {
  if (path === undefined) return fault('name', 'not a name of a repository')
  if (!(await isPlainDirectory(path))) return fault('gone', `${path} does not exist`)
  // Repositories with another ref storage have `.invalid` there.
  const head = (await kindOf(join(path, 'HEAD'))) === 'file' ? await readFile(join(path, 'HEAD'), 'utf8') : ''
  if (!/^(?:ref: refs\/(?!heads\/\.invalid)|[0-9a-f]{40})/.test(head))
    return fault('failed', `${path} has no HEAD`)
  const answer = await git.run(path, ['rev-parse', '--is-bare-repository', '--show-object-format'])
  if (!answer.ok) return answer
  const [bare, format] = answer.value.toString('latin1').split('\n')
  if (bare !== 'true') return fault('failed', `${path} is not bare`)
  if (format !== 'sha1' && format !== 'sha256')
    return fault('failed', `${path} has objects of format ${format}`)
  return done({ format })
}
