import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeHook } from './pre-receive.ts'

/** Name and value of a setting (git-config(1)). */
type Setting = readonly [name: string, value: string]

/**
 * Settings of command scope, which take precedence over the configuration of a repository: a repository that others put
 * on the disk may configure programs to run, and none of them must run here.
 */
const enforced: readonly Setting[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.alternateRefsCommand', 'true'],
  ['core.askPass', 'true'],
  ['core.fsync', 'all'],
  ['core.fsyncMethod', 'batch'],
  ['core.quotePath', 'false'],
  // Larger blobs are streamed instead of being held in memory.
  ['core.bigFileThreshold', '32m'],
  ['core.precomposeUnicode', 'false'],
  // In milliseconds: whoever deletes a ref holds this lock while the rules and the database decide.
  ['core.packedRefsTimeout', '10000'],
  ['credential.helper', ''],
  ['protocol.allow', 'never'],
  // Packing is a scheduled task, so that no push has to wait for it.
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['receive.autogc', 'false'],
  ['receive.fsckObjects', 'true'],
  ['receive.advertisePushOptions', 'true'],
  ['receive.denyCurrentBranch', 'ignore'],
  // Hidden refs can neither be listed nor changed by a push: only branches, tags and notes remain.
  ['receive.hideRefs', 'refs'],
  ['receive.hideRefs', '!refs/heads'],
  ['receive.hideRefs', '!refs/tags'],
  ['receive.hideRefs', '!refs/notes'],
  ['uploadpack.allowFilter', 'true'],
  ['uploadpack.allowReachableSHA1InWant', 'true'],
  ['pack.threads', '1'],
  ['pack.windowMemory', '64m'],
  ['i18n.logOutputEncoding', 'UTF-8'],
  ['log.showSignature', 'false'],
  ['diff.renames', 'false'],
]

/** Additional settings, such as size limits. */
export type Settings = Readonly<Record<string, string>>

/**
 * The complete environment of every git process. Only `PATH` is inherited from the server: no `GIT_*` variables, no
 * home, no system configuration, and no terminal prompts.
 */
export function gitEnvironment(home: string, settings: Settings = {}): Record<string, string> {
  const all = [...enforced, ...Object.entries(settings)]
  const numbered = all.flatMap(([name, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, name],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ])
  return {
    PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: home,
    XDG_CONFIG_HOME: home,
    LC_ALL: 'C',
    TZ: 'UTC',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: globalConfig(home),
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'true',
    GIT_ALLOW_PROTOCOL: '',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_PAGER: 'cat',
    GIT_CONFIG_COUNT: String(all.length),
    ...Object.fromEntries(numbered),
  }
}

/** With this, git finds the objects of another repository, too. A path may contain the character that separates paths (git(1)). */
export function alternateObjects(directory: string): Record<string, string> {
  const path = join(directory, 'objects').replace(/["\\]/g, '\\$&')
  return { GIT_ALTERNATE_OBJECT_DIRECTORIES: `"${path}"` }
}

const globalConfig = (home: string) => join(home, 'gitconfig')

/**
 * Writes the hook of pushes, and the setting that the environment cannot provide: `safe.directory` only counts in a
 * file (git 2.35 to 2.37), and without it git would refuse a data folder that belongs to another user.
 */
export async function prepareHome(home: string): Promise<void> {
  await mkdir(home, { recursive: true })
  await writeHook(home)
  await writeFile(globalConfig(home), '[safe]\n\tdirectory = *\n')
}
