import type { IssueTemplate } from '../../forge/issue-templates/issue-template.shape.ts'

/**
 * The text with which an issue from a template begins: that of the template, or a heading for each field of a form with
 * what may be written below it.
 */
export function textOfTemplate({ content, body }: IssueTemplate): string {
  if (body === null) return content
  const parts = body.flatMap(({ type, attributes, visible }) => {
    if (attributes === null || type === 'markdown') return []
    if (visible !== undefined && !visible.includes('content')) return []
    return [`### ${textIn(attributes.label)}\n\n${startOf(type, attributes)}`]
  })
  return parts.join('\n\n')
}

/** What is below the heading of a field: its value, or boxes to tick. */
function startOf(type: string, { value, options }: Readonly<Record<string, unknown>>): string {
  if (type !== 'checkboxes' || !Array.isArray(options)) return textIn(value)
  return options.map((each: { label?: unknown }) => `- [ ] ${textIn(each.label)}`).join('\n')
}

const textIn = (value: unknown) => (typeof value === 'string' ? value : '')
