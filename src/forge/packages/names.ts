/** What a path of the generic registry names. */
export interface GenericNames {
  package: string
  version: string
  file?: string
}

/** Longest names, in characters; no sign of them takes more than one byte. */
const GENERIC_MAX = { package: 100, version: 100, file: 255 } as const

/**
 * Why a file cannot be kept under these names (400), or undefined. They stand in addresses and become names of files
 * where they are downloaded, so that none may be a way to another folder.
 */
export function genericFault({ package: name, version, file }: GenericNames): string | undefined {
  if (!isPlain(name, /^[\w.+-]+$/, GENERIC_MAX.package)) return 'the name of the package is invalid'
  if (!isPlain(version, /^[\w.+~:@=-]+$/, GENERIC_MAX.version)) return 'the version of the package is invalid'
  if (file === undefined) return undefined
  const isFile = isPlain(file, /^[\w.+=:;()[\]{}~!@#$%^& -]+$/, GENERIC_MAX.file) && file.trim() === file
  return isFile ? undefined : 'the name of the file is invalid'
}

function isPlain(text: string, syntax: RegExp, most: number): boolean {
  return text.length <= most && syntax.test(text) && text !== '.' && text !== '..'
}
