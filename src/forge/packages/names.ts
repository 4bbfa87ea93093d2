/** The names in a path of the generic registry. */
export interface GenericNames {
  package: string
  version: string
  file?: string
}

/** Maximum lengths in characters; all allowed characters are ASCII. */
const GENERIC_MAX = { package: 100, version: 100, file: 255 } as const

/**
 * Why a file cannot be stored under these names (400); undefined if it can. Names are parts of URLs and become file
 * names where they are downloaded, so none may lead to another directory.
 */
export function genericFault({ package: name, version, file }: GenericNames): string | undefined {
  if (!isPlain(name, /^[\w.+-]+$/, GENERIC_MAX.package)) return 'the name of the package is invalid'
  if (!isPlain(version, /^[\w.+~:@=-]+$/, GENERIC_MAX.version)) return 'the version of the package is invalid'
  if (file === undefined) return undefined
  const isFile = isPlain(file, /^[\w.+=:;()[\]{}~!@#$%^& -]+$/, GENERIC_MAX.file) && file.trim() === file
  return isFile ? undefined : 'the name of the file is invalid'
}

function isPlain(text: string, syntax: RegExp, max: number): boolean {
  return text.length <= max && syntax.test(text) && text !== '.' && text !== '..'
}
