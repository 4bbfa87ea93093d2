/** Settings that have an effect only beside another one. */
const companions: ReadonlyMap<string, string> = new Map([
  ['METRICS_HOST', 'METRICS_PORT'],
  ['MAIL_FROM', 'MAIL_URL'],
  ['S3_REGION', 'S3_URL'],
  ['S3_ACCESS_KEY_ID', 'S3_URL'],
  ['S3_SECRET_ACCESS_KEY', 'S3_URL'],
  ['S3_SECRET_ACCESS_KEY_FILE', 'S3_URL'],
  // The embedded database has one connection, and no log in which a request could be found.
  ['POOL_SIZE', 'DATABASE_URL'],
  ['DATABASE_REQUEST_ID', 'DATABASE_URL'],
])

/** Settings of which only one could count. */
const rivals: ReadonlyMap<string, string> = new Map([['S3_SECRET_ACCESS_KEY', 'S3_SECRET_ACCESS_KEY_FILE']])

/** Shorter names of other programs are too likely to be a letter away from a setting. */
const minLength = 8

/**
 * Faults of variables that a start would ignore in silence: without their companion, beside their rival, or with a wrong
 * letter in their names. Each is a sentence that begins with the name.
 * @param names the variables that are set
 * @param settings the names of all settings
 */
export function ignoredSettings(names: readonly string[], settings: readonly string[]): string[] {
  return names.flatMap((name) => {
    const companion = companions.get(name)
    if (companion !== undefined && !names.includes(companion))
      return [`${name} has no effect without ${companion}`]
    const rival = rivals.get(name)
    if (rival !== undefined && names.includes(rival)) return [`${name} cannot be set beside ${rival}`]
    const meant = meantBy(name, settings)
    return meant === undefined ? [] : [`${name} is no setting: ${meant} is`]
  })
}

/** The setting that a name misspells. */
function meantBy(name: string, settings: readonly string[]): string | undefined {
  if (name.length < minLength || settings.includes(name)) return undefined
  return settings.find((setting) => isOneApart(name, setting))
}

/** Whether one text becomes the other by one letter more, less, or another one. */
function isOneApart(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  const rest = (text: string, isLonger: boolean) => text.slice(isLonger ? at + 1 : at)
  return rest(a, a.length >= b.length) === rest(b, b.length >= a.length)
}
