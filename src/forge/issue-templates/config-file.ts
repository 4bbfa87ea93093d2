import * as v from 'valibot'
import { done, failed, type Outcome } from '../../common/outcome.ts'
import type { IssueConfig } from './issue-template.shape.ts'
import { yamlOf } from './template-file.ts'

/** The settings without a file, or with an invalid one. */
export const defaultConfig: IssueConfig = { blank_issues_enabled: true, contact_links: [] }

const text = v.optional(v.string(), '')
const Config = v.nullish(
  v.looseObject({
    blank_issues_enabled: v.optional(v.boolean(), true),
    contact_links: v.nullish(v.array(v.looseObject({ name: text, url: text, about: text }))),
  }),
)

/** The settings in a file, or its fault. */
export function readConfig(source: string): Outcome<IssueConfig, string> {
  const value = yamlOf(source)
  if (value === undefined && source.trim() !== '') return failed('the file is no YAML')
  const parsed = v.safeParse(Config, value)
  if (!parsed.success) {
    const [issue] = parsed.issues
    return failed(`${v.getDotPath(issue) ?? 'the file'}: ${issue.message}`)
  }
  const { blank_issues_enabled = true, contact_links } = parsed.output ?? {}
  const links = (contact_links ?? []).map(({ name, url, about }) => ({ name, url, about }))
  const fault = links.map(faultOf).find((each) => each !== undefined)
  return fault === undefined ? done({ blank_issues_enabled, contact_links: links }) : failed(fault)
}

function faultOf(link: IssueConfig['contact_links'][number], at: number): string | undefined {
  const missing = (['name', 'url', 'about'] as const).find((key) => link[key] === '')
  if (missing !== undefined) return `contact_links: entry ${at + 1} has no ${missing}`
  return link.url.startsWith('/') || URL.canParse(link.url)
    ? undefined
    : `contact_links: ${link.url} is no address`
}
