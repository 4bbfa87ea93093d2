import * as v from 'valibot'
import { parse } from 'yaml'
import { readFields } from './form-field.ts'
import type { IssueTemplate } from './issue-template.shape.ts'

/** The value of a YAML text; undefined if the text is invalid. */
export function yamlOf(text: string): unknown {
  try {
    return parse(text, { logLevel: 'error', maxAliasCount: 20, schema: 'core' })
  } catch {
    return undefined
  }
}

/** A text; unquoted, YAML may read it as a number or a boolean. */
const text = v.optional(
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
/** A list, or names separated by commas; null: absent. */
const names = v.pipe(
  v.nullish(v.union([v.array(v.string()), v.string()]), null),
  v.transform((value) => (typeof value === 'string' ? listOf(value) : value)),
)

function listOf(text: string): string[] | null {
  const names = text.split(',').flatMap((name) => name.trim() || [])
  return names.length > 0 ? names : null
}

const Settings = v.looseObject({
  name: text,
  title: text,
  about: text,
  description: v.optional(v.unknown()),
  labels: names,
  assignees: names,
  ref: text,
  body: v.optional(v.unknown()),
})

/** The settings at the start of a Markdown template, and its content. */
const frontMatter = /^-{3,}[ \t]*\n([\s\S]*?)\n-{3,}[ \t]*(?:\n([\s\S]*))?$/

/** Reads a template; undefined if it breaks a rule. */
export function readTemplate(path: string, source: string): IssueTemplate | undefined {
  const text = source.replaceAll('\r\n', '\n')
  if (!path.endsWith('.md')) return templateOf(path, yamlOf(text), undefined)
  const [, settings, content = ''] = frontMatter.exec(text) ?? []
  return settings === undefined ? undefined : templateOf(path, yamlOf(settings), content)
}

/** `content`: of a Markdown template; undefined: the template is a form. */
function templateOf(path: string, value: unknown, content: string | undefined): IssueTemplate | undefined {
  const parsed = v.safeParse(Settings, value)
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
