/** Options that override the settings of a repository for differences. */
export const plainDiff = ['--no-color', '--no-ext-diff', '--no-textconv']

/** Options of git itself: larger files count as binary, as comparing them takes long. */
export const largestCompared = ['-c', 'core.bigFileThreshold=4m']
