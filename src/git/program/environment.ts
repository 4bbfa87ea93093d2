import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Name and value, as git-config(1) knows them. */
type Setting = readonly [name: string, value: string]

/**
 * Settings of command scope, which outrank the configuration of a repository: one that was put on disk by others may
 * name programs to run, and none of them is run here.
 */
const ours: readonly Setting[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.alternateRefsCommand', 'true'],
  ['core.askPass', 'true'],
  ['core.fsync', 'all'],
  ['core.fsyncMethod', 'batch'],
  ['core.quotePath', 'false'],
  // Larger blobs are streamed instead of held in memory.
  ['core.bigFileThreshold', '32m'],
  ['core.precomposeUnicode', 'false'],
  ['credential.helper', ''],
  ['protocol.allow', 'never'],
  // Packing is a task with a schedule, not something that one unlucky push waits for.
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['receive.autogc', 'false'],
  ['receive.fsckObjects', 'true'],
  ['receive.advertisePushOptions', 'true'],
  ['receive.denyCurrentBranch', 'ignore'],
  // Whatever is hidden can neither be seen nor changed by a push: refs/heads and refs/tags are left.
  ['receive.hideRefs', 'refs'],
  ['receive.hideRefs', '!refs/heads'],
  ['receive.hideRefs', '!refs/tags'],
  ['uploadpack.allowFilter', 'true'],
  ['uploadpack.allowReachableSHA1InWant', 'true'],
  ['pack.threads', '1'],
  ['pack.windowMemory', '64m'],
  ['i18n.logOutputEncoding', 'UTF-8'],
  ['log.showSignature', 'false'],
  ['diff.renames', 'false'],
]

/** What git is told to know besides: sizes and the like, set by whoever starts it. */
export type Settings = Readonly<Record<string, string>>

/**
 * The whole environment of every git process. Of the server's own only `PATH` passes: no `GIT_*` of whoever started it,
 * no home, no system configuration, nothing that asks questions on a terminal.
 */
export function gitEnvironment(home: string, settings: Settings = {}): Record<string, string> {
  const all = [...ours, ...Object.entries(settings)]
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

const globalConfig = (home: string) => join(home, 'gitconfig')

/**
 * Writes the one file that the environment cannot replace: `safe.directory` counts only in a file (git 2.35 to 2.37),
 * and without it a data folder that belongs to another user would be refused.
 */
export async function prepareHome(home: string): Promise<void> {
  await mkdir(home, { recursive: true })
  await writeFile(globalConfig(home), '[safe]\n\tdirectory = *\n')
}
