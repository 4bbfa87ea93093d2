/**
 * The address of git over SSH: one of the process, like its version. Every answer, event and page that shows a repository has
 * it.
 */
let served: URL | undefined

/** Sets the address, `ssh://user@host:port`, before the first answer; undefined: there is no git over SSH. */
export function serveSshAt(url: string | undefined): void {
  served = url === undefined ? undefined : new URL(url)
}

/** Whether clients reach this server over SSH. */
export const hasSsh = () => served !== undefined

/**
 * The address of a repository for `git clone`, in the short form where the port is the usual one. Without git over SSH that of
 * the original, with the name of `host`, the base URL of links: the field is never empty.
 */
export function sshUrlOf(host: string, path: string): string {
  const { username = 'git', hostname = new URL(host).hostname, port = '' } = served ?? {}
  return port === '' || port === '22'
    ? `${username}@${hostname}:${path}.git`
    : `ssh://${username}@${hostname}:${port}/${path}.git`
}
