import * as v from 'valibot'
import { parse } from 'yaml'
import { readFields } from './form-field.ts'
import type { IssueTemplate } from './issue-template.shape.ts'

/** The value of a YAML text; undefined if it is none. */
export function yamlOf(text: string): unknown {
  try {
    return parse(text, { logLevel: 'error', maxAliasCount: 20, schema: 'core' })
  } catch {
    return undefined
  }
}

/** Plain words of YAML may be numbers or booleans. */
const word = v.optional(
  v.union([
    v.string(),
    v.pipe(v.union([v.number(), v.boolean()]), v.transform(String)),
    v.pipe(
      v.null(),
      v.transform(() => ''),
    ),
  ]),
  '',
)
/** A list, or a text with commas; null: absent. */
const words = v.pipe(
  v.nullish(v.union([v.array(v.string()), v.string()]), null),
  v.transform((given) => (typeof given === 'string' ? listOf(given) : given)),
)

function listOf(text: string): string[] | null {
  const names = text.split(',').flatMap((name) => name.trim() || [])
  return names.length > 0 ? names : null
}

const Facts = v.looseObject({
  name: word,
  title: word,
  about: word,
  description: v.optional(v.unknown()),
  labels: words,
  assignees: words,
  ref: word,
  body: v.optional(v.unknown()),
})

/** The settings at the start of a Markdown template, and what follows them. */
const frontMatter = /^-{3,}[ \t]*\n([\s\S]*?)\n-{3,}[ \t]*(?:\n([\s\S]*))?$/

/** Reads a template; undefined if it breaks a rule. */
export function readTemplate(path: string, source: string): IssueTemplate | undefined {
  const text = source.replaceAll('\r\n', '\n')
  if (!path.endsWith('.md')) return templateOf(path, yamlOf(text), undefined)
  const [, settings, content = ''] = frontMatter.exec(text) ?? []
  return settings === undefined ? undefined : templateOf(path, yamlOf(settings), content)
}

/** `content`: of a template that is no form. */
function templateOf(path: string, given: unknown, content: string | undefined): IssueTemplate | undefined {
  const parsed = v.safeParse(Facts, given)
  if (!parsed.success) return undefined
  const { name, title, labels, assignees, ref, description, body } = parsed.output
  const isForm = content === undefined
  const about = parsed.output.about || (isForm && typeof description === 'string' ? description : '')
  const fields = isForm ? readFields(body) : null
  if (name.trim() === '' || about.trim() === '' || fields === undefined) return undefined
  return {
    name,
    title,
    about,
    labels,
    assignees,
    ref: ref.startsWith('refs/') ? ref : `refs/heads/${ref}`,
    content: content ?? '',
    body: fields,
    file_name: path,
  }
}
