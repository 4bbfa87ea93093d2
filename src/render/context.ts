/** The location of a text: the repository, the ref and the directory its relative links start from. */
export interface TextLocation {
  readonly owner: string
  readonly repo: string
  /** `branch/main`, `tag/v1`, `commit/…`, or empty. */
  readonly ref: string
  /** Directory of the file inside the repository, without leading or trailing slashes. */
  readonly dir: string
}

const noLocation: TextLocation = { owner: '', repo: '', ref: '', dir: '' }

/**
 * Reads the `Context` option, a URL path. Names are not looked up: they only build links. Anything but the two
 * known shapes means "no repository". A directory that the file path also names is cut from the end of the ref.
 */
export function parseContext(context: string, host: string, filePath: string): TextLocation {
  const segments = belowRoot(context, host).split('/')
  const [owner = '', repo = '', src, kind = '', ...rest] = segments
  const dir = directoryOf(filePath)
  if (owner === '' || repo === '') return { ...noLocation, dir }
  if (segments.length === 2) return { owner, repo, ref: '', dir }
  if (src !== 'src' || !['branch', 'commit', 'tag'].includes(kind)) return { ...noLocation, dir }
  const name = rest.filter((part) => part !== '').join('/')
  const cut = dir !== '' && name.endsWith(`/${dir}`) ? name.slice(0, -dir.length - 1) : name
  return { owner, repo, ref: `${kind}/${cut}`, dir }
}

function belowRoot(context: string, host: string): string {
  const path = context.startsWith('/') ? context.slice(1) : context
  const root = new URL(host).pathname.slice(1)
  return root !== '' && path.startsWith(root) ? path.slice(root.length) : path
}

function directoryOf(filePath: string): string {
  return cleanPath(filePath.slice(0, Math.max(0, filePath.lastIndexOf('/'))))
}

/** Resolves `.` and `..` without climbing above the start; no leading or trailing slashes. */
export function cleanPath(path: string): string {
  const result: string[] = []
  for (const part of path.split('/')) {
    if (part === '..') result.pop()
    else if (part !== '' && part !== '.') result.push(part)
  }
  return result.join('/')
}
