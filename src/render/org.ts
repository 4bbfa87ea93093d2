import type { Root } from 'hast'
import { toHast } from 'oast-to-hast'
import { parse } from 'orga'
import { contentOf } from './tree.ts'

/** An Org document as a tree of untrusted HTML. */
export function renderOrg(source: string): Root {
  const tree = toHast(parse(source))
  if (tree.type !== 'root') return { type: 'root', children: [tree] }
  return { type: 'root', children: contentOf(tree) }
}
