import { tarballName } from './names.ts'
import type { Manifest } from './publication.ts'

/** A version as it is stored. */
export interface StoredVersion {
  /** Id of the row. */
  id: number
  version: string
  created_at: string
  manifest: Manifest
  /** Checksums of its tarball, in hexadecimal. */
  sha1: string
  sha512: string
  tags: readonly string[]
}

/** A package with its versions, oldest first; there is at least one. */
export interface StoredPackage {
  name: string
  owner: string
  versions: readonly StoredVersion[]
}

/** Members of the latest version's manifest that are repeated for the whole package. */
const packageMembers = [
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
 * The package document for npm clients (npm registry API, "package"): all versions with their manifests and the URLs of
 * their tarballs. `root` is the registry of the owner, with a trailing slash.
 */
export function packumentOf(stored: StoredPackage, root: string): Record<string, unknown> {
  const { name, owner, versions } = stored
  const latest = latestOf(stored)
  const packageInfo = packageMembers.flatMap((key) =>
    latest?.manifest[key] === undefined ? [] : [[key, latest.manifest[key]]],
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
    ...Object.fromEntries(packageInfo),
  }
}

/** Changes whenever a version is added or removed, so that clients cannot remove versions that they have not seen. */
export function revisionOf({ versions }: Pick<StoredPackage, 'versions'>): string {
  return `${versions.length}-${Math.max(...versions.map(({ id }) => id))}`
}

/** The version of each tag. */
export function tagsOf({ versions }: Pick<StoredPackage, 'versions'>): Record<string, string> {
  return Object.fromEntries(
    versions.flatMap(({ version, tags }) => tags.map((tag): [string, string] => [tag, version])).sort(byTag),
  )
}

/** The version tagged `latest`. */
function latestOf({ versions }: Pick<StoredPackage, 'versions'>): StoredVersion | undefined {
  return versions.find(({ tags }) => tags.includes('latest')) ?? versions.at(-1)
}

/** The tarball URL has no escape in the scope, because clients compare it with the URL that they construct. */
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
