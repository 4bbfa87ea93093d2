/** Options that override the settings of a repository for differences. */
export const plainDiff = ['--no-color', '--no-ext-diff', '--no-textconv']

/** The command that writes commits as mails for git-am(1), with renamed files as such, as git does by default. */
export const asMails = ['format-patch', '--no-signature', '--stdout', '-M', ...plainDiff]

/** Options of git itself: larger files count as binary, as comparing them takes long. */
export const largestCompared = ['-c', 'core.bigFileThreshold=4m']

/** Files that are compared with each other to find renames whose content has changed. */
export const findRenames = ['--find-renames', '-l1000']

/** Which differences in white space do not count. */
export type IgnoredSpace = 'none' | 'all' | 'amount' | 'at end of line'

export const spaceOptions: Readonly<Record<IgnoredSpace, readonly string[]>> = {
  none: [],
  all: ['--ignore-all-space'],
  amount: ['--ignore-space-change'],
  'at end of line': ['--ignore-space-at-eol'],
}
