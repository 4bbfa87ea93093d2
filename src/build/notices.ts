import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A library of the lock file. */
interface Locked {
  version?: string
  license?: string
  dev?: boolean
  optional?: boolean
}

/** Texts about a licence beside a library: `LICENSE`, `NOTICE.txt`, `swagger-ui-bundle.js.LICENSE.txt`. */
const noticeFile = /(?:^|\.)(?:licen[cs]e|copying|notice)(?:\.|$)/i

/** What is in the built file beside the libraries of the lock file, and the identifier of its licence. */
const others = [
  ['PostgreSQL, in @electric-sql/pglite', 'PostgreSQL'],
  ['Texts of licences, from spdx-license-list', 'CC0-1.0'],
] as const

/**
 * The notices and licences of all libraries that are, or may be, in the built file: those that `dependencies` of
 * `package.json` lead to. Licences ask that their text goes with each copy. `standard`: texts by SPDX identifier, for
 * libraries that have none.
 */
export async function noticesOf(standard: ReadonlyMap<string, string>): Promise<string> {
  const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8')) as {
    packages: Record<string, Locked>
  }
  const bundled = Object.entries(packages).filter(
    ([path, { dev, optional }]) => path !== '' && !dev && !optional,
  )
  const own = bundled.map(async ([path, { version, license = '' }]) => {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const texts = await textsIn(path)
    return section(`${name} ${version}`, license, texts.length > 0 ? texts : standardTexts(license, standard))
  })
  const rest = others.map(([name, license]) => section(name, license, standardTexts(license, standard)))
  return [head, ...(await Promise.all(own)), ...rest].join('\n')
}

const head = `Forgehall contains these libraries, each under its own licence.
`

const section = (name: string, license: string, texts: readonly string[]) =>
  `${'-'.repeat(80)}\n${name} (${license})\n\n${texts.map((text) => `${text.trim()}\n`).join('\n')}`

/** The texts beside a library. */
async function textsIn(path: string): Promise<string[]> {
  const names = (await readdir(path)).filter((name) => noticeFile.test(name)).sort()
  return Promise.all(names.map((name) => readFile(join(path, name), 'utf8')))
}

/** The texts of the identifiers in an SPDX expression. @throws Error for an unknown one: the build stops */
function standardTexts(expression: string, standard: ReadonlyMap<string, string>): string[] {
  const ids = expression.match(/[\w.-]+/g)?.filter((word) => !['AND', 'OR', 'WITH'].includes(word)) ?? []
  if (ids.length === 0)
    throw new Error('A bundled library has neither a text nor an identifier of its licence')
  return ids.map((id) => {
    const text = standard.get(id)
    if (text === undefined) throw new Error(`There is no text of the licence ${id}`)
    return text
  })
}
