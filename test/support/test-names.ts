import { sourcesOf } from './sources.ts'

/** The names of all tests under a folder of `test`, as their sources write them, constants of the file filled in. */
export function testNamesIn(folder: string): readonly string[] {
  return sourcesOf('test')
    .filter(({ path }) => path.startsWith(`test/${folder}/`) && path.endsWith('.test.ts'))
    .flatMap(({ text }) => namesIn(text))
}

const NAME = /\btest\(\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`|(\w+),)/g
const CONSTANT = /\bconst (\w+) =\s*'([^'\n]*)'/g
const LOOP = /\bfor \(const (\w+) of \[([^\]]*)\]/g
const WORD = /'([^'\n]*)'|(\w+)/g

/** The names in one source. */
export function namesIn(source: string): readonly string[] {
  const values = valuesIn(source)
  return [...source.matchAll(NAME)].flatMap(([, single, double, template, variable]) => {
    if (single !== undefined || double !== undefined) return [single ?? double ?? '']
    return filled(template ?? `\${${variable}}`, values)
  })
}

/** What a name may stand for: one text, or each of those that a loop goes through. */
function valuesIn(source: string): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, readonly string[]>()
  for (const [, name = '', text = ''] of source.matchAll(CONSTANT)) values.set(name, [text])
  for (const [, name = '', list = ''] of source.matchAll(LOOP)) {
    const words = [...list.matchAll(WORD)].flatMap(([, text, word = '']) =>
      text === undefined ? (values.get(word) ?? []) : [text],
    )
    values.set(name, [...(values.get(name) ?? []), ...words])
  }
  return values
}

/** A template once for each value of its first known name; the other names likewise, one after the other. */
function filled(template: string, values: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const name = [...template.matchAll(/\$\{(\w+)\}/g)]
    .map((match) => match[1] ?? '')
    .find((each) => values.has(each))
  if (name === undefined) return [template]
  return (values.get(name) ?? []).flatMap((value) =>
    filled(
      template.replaceAll(`\${${name}}`, () => value),
      values,
    ),
  )
}
