import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { forbiddenSetting } from './config.ts'
import { containsOther, entriesOf, kindOf } from './files.ts'

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
