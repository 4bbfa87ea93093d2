import { isVersion } from './semver.ts'

/** Names that would be paths of something else. */
const RESERVED: ReadonlySet<string> = new Set(['node_modules', 'favicon.ico'])

/** Whether a package can be called so: lower case, with or without a scope, as the schema of package.json has it. */
export function isPackageName(name: string): boolean {
  if (name.length > 214 || !/^(?:@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*$/.test(name)) return false
  return !RESERVED.has(bareName(name))
}

/** The name without its scope. */
const bareName = (name: string) => name.slice(name.indexOf('/') + 1)

/** Longest name of a tarball, in characters: that of a file on most disks. */
export const TARBALL_MAX = 255

/** What the tarball of a version is called, here and in the lock files of clients. */
export const tarballName = (name: string, version: string) => `${bareName(name)}-${version}.tgz`

/** The version that a tarball of a package is of; undefined for any other file. */
export function versionOfTarball(name: string, file: string): string | undefined {
  const [start, end] = [`${bareName(name)}-`, '.tgz']
  if (!file.startsWith(start) || !file.endsWith(end)) return undefined
  const version = file.slice(start.length, -end.length)
  return isVersion(version) ? version : undefined
}

/** What a range of versions could be taken for; nobody could ask for a tag that is one. */
const part = '(?:\\d+|[xX*])'
const range = new RegExp(`^[=v]*${part}(?:\\.${part}(?:\\.${part}(?:-[\\w.-]+)?(?:\\+[\\w.-]+)?)?)?$`)

/** Names that programs in JavaScript, npm among them, cannot use as keys of an object that they read. */
const ENGAGED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Whether a dist-tag can be called so: characters that need no escape in an address, no range of versions, and no name
 * that objects in JavaScript have already.
 */
export function isTag(tag: string): boolean {
  return isTagWord(tag) && !range.test(tag) && !ENGAGED.has(tag)
}

/** Whether a dist-tag that is stored may be called so: earlier programs took more names than `isTag`. */
export function isTagWord(tag: string): boolean {
  return /^[\w.!~*'()-]{1,100}$/.test(tag)
}
