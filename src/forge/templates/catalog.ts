import type { Item } from './collection.ts'
import type { Templates } from './open.ts'

/** How to apply a licence; the same for all. */
const implementation =
  'Create a text file named LICENSE in the root of your source code, copy the text of the license into it, and fill in the year and the holders of the copyright.'

/**
 * The collections as the API shows them. Each value is created once, so that its serialized form can be reused (`fixed`
 * routes).
 */
export function createTemplateCatalog(templates: Templates, root: string) {
  const { gitignore, label, license } = templates
  const link = (name: string) => `${root}api/v1/licenses/${encodeURIComponent(name)}`
  return {
    gitignores: [...gitignore.names],
    gitignore: cached(gitignore.find, ({ name, content }) => ({ name, source: content })),
    labelSets: [...label.names],
    labels: cached(label.find, ({ content }) =>
      content.map(({ name, exclusive, color, description }) => ({ name, exclusive, color, description })),
    ),
    licenses: license.names.map((name) => ({ key: name, name, url: link(name) })),
    license: cached(license.find, ({ name, content }) => ({
      key: name,
      name,
      url: link(name),
      implementation,
      body: content,
    })),
  }
}

export type TemplateCatalog = ReturnType<typeof createTemplateCatalog>

/** Creates the shown form of each item on first use and keeps it. */
function cached<Content, Shown>(
  find: (name: string) => Item<Content> | undefined,
  show: (item: Item<Content>) => Shown,
): (name: string) => Shown | undefined {
  const shown = new Map<string, Shown>()
  return (requested) => {
    const item = find(requested)
    if (!item) return undefined
    const value = shown.get(item.name) ?? show(item)
    shown.set(item.name, value)
    return value
  }
}
