/**
 * Settings of a repository that only describe it, or that this server overrides: others may name programs to run and
 * files to read (git-config(1)). In lower case, with `*` for the name of a remote or branch.
 */
const harmless = new Set([
  ...[
    'bare',
    'filemode',
    'ignorecase',
    'logallrefupdates',
    'precomposeunicode',
    'repositoryformatversion',
  ].map((name) => `core.${name}`),
  ...['sharedrepository', 'symlinks', 'compression', 'hidedotfiles', 'protectntfs', 'protecthfs'].map(
    (name) => `core.${name}`,
  ),
  ...['url', 'pushurl', 'fetch', 'push', 'mirror', 'tagopt', 'prune'].map((name) => `remote.*.${name}`),
  ...['remote', 'merge', 'rebase'].map((name) => `branch.*.${name}`),
  ...['denynonfastforwards', 'denydeletes', 'denycurrentbranch', 'advertisepushoptions', 'autogc'].map(
    (name) => `receive.${name}`,
  ),
  ...['user.name', 'user.email', 'gitweb.owner', 'gitweb.description', 'http.receivepack', 'gc.auto'],
  ...['extensions.objectformat', 'uploadpack.allowfilter', 'uploadpack.allowreachablesha1inwant'],
])

/** A setting that the configuration of a repository must not have; undefined if there is none. */
export function forbiddenSetting(config: string): string | undefined {
  let section = ''
  for (const line of config.split('\n')) {
    const [, name, quoted, after] = /^\s*\[([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\](.*)$/.exec(line) ?? []
    if (name !== undefined) section = `${name.toLowerCase()}${quoted === undefined ? '' : '.*'}`
    const rest = (after ?? line).trim()
    if (rest === '' || rest.startsWith('#') || rest.startsWith(';')) continue
    const [, key] = /^([a-z][a-z0-9-]*)(?:\s*=.*)?$/i.exec(rest) ?? []
    // A line that continues in the next one could hide a setting there.
    if (key === undefined || rest.endsWith('\\')) return 'a line that is no setting'
    const full = `${section}.${key.toLowerCase()}`
    if (!harmless.has(full)) return full
  }
  return undefined
}

/** The configuration of a repository as this server makes it. */
export function plainConfig(format: 'sha1' | 'sha256'): string {
  const core = (version: number) =>
    `[core]\n\trepositoryformatversion = ${version}\n\tfilemode = true\n\tbare = true\n`
  return format === 'sha1' ? core(0) : `${core(1)}[extensions]\n\tobjectformat = sha256\n`
}
