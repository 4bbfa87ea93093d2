import * as v from 'valibot'
import type { CompleteUpload } from '../../../blobs/upload.ts'
import { done, failed, type Outcome } from '../../../common/outcome.ts'
import { isPackageName, isTag, TARBALL_MAX, tarballName } from './names.ts'
import { isVersion } from './semver.ts'

/** The manifest of a version (package.json); unknown members are kept. */
const Manifest = v.looseObject({
  name: v.string(),
  version: v.string(),
  deprecated: v.optional(v.unknown()),
  dist: v.optional(v.looseObject({ integrity: v.optional(v.string()), shasum: v.optional(v.string()) })),
})
export type Manifest = v.InferOutput<typeof Manifest>

const Document = v.object({
  name: v.string(),
  'dist-tags': v.optional(v.record(v.string(), v.string()), {}),
  versions: v.record(v.string(), Manifest),
  _attachments: v.optional(
    v.record(v.string(), v.looseObject({ length: v.optional(v.pipe(v.number(), v.integer())) })),
    {},
  ),
})
export type Document = v.InferOutput<typeof Document>

/** A version that is published. */
interface NpmPublication {
  version: string
  /** Without `dist`, which is computed for each reply. */
  manifest: Manifest
  tags: readonly string[]
}

/** Parses the document that npm sends about the package `name`. The fault is the error message for the client (400). */
export function readDocument(value: unknown, name: string): Outcome<Document, string> {
  const checked = v.safeParse(Document, value)
  if (!checked.success) return failed(`this is no document of a package: ${pathOf(checked.issues[0])}`)
  if (!isPackageName(name)) return failed('the name of the package is invalid')
  if (!sameKeys(value, checked.output)) return failed('the tag is invalid')
  return checked.output.name === name ? done(checked.output) : failed('the package has another name')
}

/** Whether no tag was lost: the schema drops names that every object has, such as `__proto__`. */
function sameKeys(value: unknown, read: Document): boolean {
  const tags = v.safeParse(
    v.looseObject({ 'dist-tags': v.custom<object>((each) => each instanceof Object) }),
    value,
  )
  return (
    !tags.success || Object.keys(tags.output['dist-tags']).length === Object.keys(read['dist-tags']).length
  )
}

const pathOf = (issue: v.BaseIssue<unknown>) => v.getDotPath(issue) ?? 'it is no object'

/** What a document with a received tarball publishes. The fault is the error message for the client (400). */
export function publicationOf(
  document: Document,
  tarball: string,
  content: CompleteUpload,
): Outcome<NpmPublication, string> {
  const [[key, versionManifest] = [], ...others] = Object.entries(document.versions)
  if (key === undefined || versionManifest === undefined || others.length > 0)
    return failed('one version is published at a time')
  if (!isVersion(key) || versionManifest.version !== key) return failed('the version is invalid')
  if (versionManifest.name !== document.name) return failed('the package has another name')
  if (tarballName(versionManifest.name, key).length > TARBALL_MAX)
    return failed('the name and the version are too long together')
  const tags = Object.entries(document['dist-tags'])
  if (!tags.every(([tag, version]) => isTag(tag) && version === key)) return failed('the tag is invalid')
  const { dist, ...manifest } = versionManifest
  const length = document._attachments[tarball]?.length
  const isComplete = length === undefined || length === content.size
  if (!isComplete || !isIntact(dist ?? {}, content)) return failed('the tarball is not what was announced')
  if (content.size === 0) return failed('the tarball is empty')
  return done({ version: key, manifest, tags: tags.map(([tag]) => tag) })
}

/** Verifies the checksums that we support (W3C Subresource Integrity, section 3.5, and the SHA-1 of old clients). */
function isIntact(
  { integrity = '', shasum }: NonNullable<Manifest['dist']>,
  { digests }: CompleteUpload,
): boolean {
  if (shasum !== undefined && shasum.toLowerCase() !== digests.sha1) return false
  const actual: Readonly<Record<string, string>> = { ...digests }
  return integrity.split(/\s+/).every((each) => {
    const [, kind = '', hash] = /^(sha1|sha256|sha512)-([A-Za-z0-9+/=]+)(?:\?.*)?$/.exec(each) ?? []
    return hash === undefined || Buffer.from(hash, 'base64').toString('hex') === actual[kind]
  })
}
