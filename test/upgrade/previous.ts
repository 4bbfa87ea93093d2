import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'

/** What operators run as long as no release has a tag: the oldest commit from which an upgrade is possible. */
const withoutTags = '6a7438db'

/** The built file of an earlier commit. */
export interface Previous {
  /** The commit or tag as it was asked for. */
  name: string
  product: string
  /** Names of its migrations. */
  migrations: readonly string[]
}

const git = (...words: string[]) =>
  execFileSync('git', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()

/** The last tag before the present commit, or the commit that stands for a release. */
export function previousRelease(): string {
  try {
    return git('describe', '--tags', '--abbrev=0', 'HEAD^')
  } catch {
    return withoutTags
  }
}

/**
 * Builds the server of a commit in a work tree of its own in `folder`; `remove` takes the work tree away again.
 * @throws Error when the commit is not there, as in a shallow clone
 */
export function buildPrevious(name: string, folder: string): Previous & { remove: () => void } {
  const tree = join(folder, 'previous')
  try {
    git('worktree', 'add', '--detach', tree, name)
  } catch {
    throw new Error(`There is no commit ${name}; a shallow clone gets it with git fetch --unshallow --tags`)
  }
  const remove = () => git('worktree', 'remove', '--force', tree)
  const run = (program: string, ...words: string[]) =>
    execFileSync(program, words, { cwd: tree, stdio: 'ignore' })
  try {
    run('npm', 'ci', '--prefer-offline', '--no-audit', '--no-fund')
    run('npx', 'tsup')
  } catch (error) {
    remove()
    throw error
  }
  const product = join(tree, 'dist', 'forgehall.cjs')
  if (!existsSync(product)) throw new Error(`${name} builds no dist/forgehall.cjs`)
  const files = readdirSync(join(tree, 'sql', 'migrations'))
  return { name, product, migrations: files.map((file) => basename(file, '.sql')).sort(), remove }
}
