import { tarballName } from './names.ts'
import type { Manifest } from './publication.ts'

/** A version as it is stored. */
export interface StoredVersion {
  /** Of the row. */
  id: number
  version: string
  created_at: string
  manifest: Manifest
  /** Checksums of its tarball, in hexadecimal digits. */
  sha1: string
  sha512: string
  tags: readonly string[]
}

/** A package with its versions, the oldest first; there is at least one. */
export interface StoredPackage {
  name: string
  owner: string
  versions: readonly StoredVersion[]
}

/** Members of the newest manifest that stand for the whole package. */
const shared = [
  'description',
  'readme',
  'author',
  'license',
  'keywords',
  'homepage',
  'repository',
  'bugs',
] as const

/**
 * What an npm client reads about a package (npm registry API, "package"): all versions with their manifests, and where
 * their tarballs are. `root` is the registry of the owner, with a slash at its end.
 */
export function packumentOf(stored: StoredPackage, root: string): Record<string, unknown> {
  const { name, owner, versions } = stored
  const newest = newestOf(stored)
  const about = shared.flatMap((key) =>
    newest?.manifest[key] === undefined ? [] : [[key, newest.manifest[key]]],
  )
  return {
    _id: name,
    _rev: revisionOf(stored),
    name,
    'dist-tags': tagsOf(stored),
    versions: Object.fromEntries(versions.map((each) => [each.version, manifestOf(name, each, root)])),
    time: {
      created: versions[0]?.created_at,
      modified: versions.at(-1)?.created_at,
      ...Object.fromEntries(versions.map(({ version, created_at }) => [version, created_at])),
    },
    maintainers: [{ name: owner }],
    ...Object.fromEntries(about),
  }
}

/** Changes whenever a version comes or goes, so that nobody removes what it has not seen. */
export function revisionOf({ versions }: Pick<StoredPackage, 'versions'>): string {
  return `${versions.length}-${Math.max(...versions.map(({ id }) => id))}`
}

/** Which version each tag stands for. */
export function tagsOf({ versions }: Pick<StoredPackage, 'versions'>): Record<string, string> {
  return Object.fromEntries(
    versions.flatMap(({ version, tags }) => tags.map((tag): [string, string] => [tag, version])).sort(byTag),
  )
}

/** The version that is `latest`. */
function newestOf({ versions }: Pick<StoredPackage, 'versions'>): StoredVersion | undefined {
  return versions.find(({ tags }) => tags.includes('latest')) ?? versions.at(-1)
}

/** A tarball's address, without an escape in the scope: clients compare it with what they would have made up. */
function manifestOf(name: string, { version, manifest, sha1, sha512 }: StoredVersion, root: string) {
  return {
    ...manifest,
    _id: `${name}@${version}`,
    dist: {
      integrity: `sha512-${Buffer.from(sha512, 'hex').toString('base64')}`,
      shasum: sha1,
      tarball: `${root}${name}/-/${encodeURIComponent(tarballName(name, version))}`,
    },
  }
}

const byTag = ([one]: readonly [string, string], [other]: readonly [string, string]) =>
  one === other ? 0 : one < other ? -1 : 1
