import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import type { Account } from '../accounts/account-store.ts'
import { ghost } from '../accounts/ghost.ts'
import { moment, printUser, User, type Viewer } from '../accounts/user.shape.ts'
import { EPOCH, printTime, ZERO_TIME } from '../protocol/time.ts'
import { Repository } from '../repos/repo.shape.ts'
import type { PackageFileRow, PackageRow } from './package-store.ts'

/** A version of a package: the specification's `Package`, with its members in the order in which they are sent. */
export const Package = shape('Package', {
  id: described(int, 'Id of the version'),
  owner: User,
  repository: described(v.nullable(Repository), 'Always null: packages belong to an owner alone'),
  creator: User,
  type: described(v.string(), '`generic` or `npm`'),
  name: v.string(),
  version: v.string(),
  html_url: v.string(),
  created_at: moment,
})
export type Package = v.InferOutput<typeof Package>

/** A file of a version; Gitea spells `Size` this way. */
export const PackageFile = shape('PackageFile', {
  id: int,
  Size: described(int, 'Bytes'),
  name: v.string(),
  md5: described(v.string(), 'Hexadecimal, as the other digests'),
  sha1: v.string(),
  sha256: v.string(),
  sha512: v.string(),
})
export type PackageFile = v.InferOutput<typeof PackageFile>

/** The owner of a package, and the publisher of the version unless that account was deleted. */
interface PackageAccounts {
  owner: Account
  creator: Account | undefined
}

/** Prints a version for `viewer`; `host` is the root of links (`from.host`). */
export function printPackage(
  row: PackageRow,
  { owner, creator }: PackageAccounts,
  { viewer, host }: { viewer: Viewer; host: string },
): Package {
  const path = [row.type, row.name.toLowerCase(), row.version.toLowerCase()].map(escapeSegment).join('/')
  return {
    id: row.id,
    owner: printUser(owner, viewer, host),
    repository: null,
    creator: creator ? printUser(creator, viewer, host) : printGhost(host),
    type: row.type,
    name: row.name,
    version: row.version,
    html_url: `${host}${owner.name}/-/packages/${path}`,
    created_at: printTime(row.created_at, EPOCH),
  }
}

/** Prints a file. */
export function printPackageFile({ id, size, name, md5, sha1, sha256, sha512 }: PackageFileRow): PackageFile {
  return { id, Size: size, name, md5, sha1, sha256, sha512 }
}

/** Escapes a path segment (RFC 3986, section 3.3); characters that are allowed there stay as they are. */
const escapeSegment = (text: string) =>
  encodeURIComponent(text).replace(/%(?:24|26|2B|3A|3D|40)/g, decodeURIComponent)

/** Shown in place of a deleted account. */
const printGhost = (host: string): User => ({
  ...printUser(ghost, undefined, host),
  email: '',
  created: ZERO_TIME,
})
