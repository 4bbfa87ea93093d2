import type { GitOutcome } from './outcome.ts'

/** Oldest supported version of git. */
const minimumVersion = [2, 34] as const

/** Whether git can be used; `sentence` is for the log at startup. */
export type GitVersion =
  | { usable: true; version: string; sentence: string }
  | { usable: false; sentence: string }

/** What `git version` says. */
export function versionIn(output: GitOutcome<Buffer>): GitVersion {
  if (!output.ok) {
    const why = output.fault.kind === 'missing' ? 'it was not found' : output.fault.log
    return { usable: false, sentence: `repositories cannot be served without the git program: ${why}` }
  }
  const version = /^git version (\d+\.\d+[\w.-]*)/.exec(output.value.toString('utf8'))?.[1]
  if (version === undefined || !isRecent(version)) {
    const sentence = `git ${minimumVersion.join('.')} or newer is needed for repositories; this is ${version ?? 'unknown'}`
    return { usable: false, sentence }
  }
  return { usable: true, version, sentence: `git ${version}` }
}

function isRecent(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > minimumVersion[0] || (major === minimumVersion[0] && minor >= minimumVersion[1])
}
