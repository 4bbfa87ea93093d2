import type { Schema } from 'hast-util-sanitize'
import { find, html, svg } from 'property-information'

/** Allowed elements; others lose their tag and keep their content, except those in `withContent`. */
const elements = `
  a abbr acronym article aside b bdi bdo blockquote br caption center cite code col colgroup dd del details dfn div dl
  dt em figcaption figure h1 h2 h3 h4 h5 h6 h7 h8 hgroup hr i img ins kbd label li map area mark meter ol p pre progress
  q rp rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var
  wbr video source picture svg path input
  math mi mn mo mtext mspace ms mrow mfrac msqrt mroot mstyle merror mpadded mphantom msub msup msubsup munder mover
  munderover mmultiscripts mprescripts none mtable mtr mtd semantics annotation annotation-xml`

/** Elements that are removed together with their content. */
const withContent = 'script style iframe object noscript noembed noframes frame frameset title'

/** Attributes without scripts and addresses, allowed on every element that has no list of its own. */
const general = `
  id title lang dir class abbr accept accept-charset accesskey align alt aria-describedby aria-hidden aria-label
  aria-labelledby axis border cellpadding cellspacing char charoff charset checked clear cols colspan color compact
  coords datetime disabled enctype for frame headers height hreflang hspace ismap label lang maxlength media method
  multiple name nohref noshade nowrap open prompt readonly rel rev rows rowspan rules scope selected shape size span
  start summary tabindex target title type usemap valign value vspace width itemprop itemscope itemtype
  data-markdown-generated-content data-attr-class`

/** Attributes of single elements, in addition to the general ones. `sanitize.ts` checks addresses again. */
const special: Record<string, string> = {
  a: 'href',
  area: 'href',
  img: 'src loading',
  blockquote: 'cite',
  q: 'cite',
  del: 'cite',
  ins: 'cite',
  span: 'style data-line-number',
  div: 'style',
  p: 'style',
  tr: 'style',
  th: 'style',
  td: 'style',
  video: 'src autoplay controls muted loop playsinline',
  source: 'srcset',
  input: 'data-source-position',
  annotation: 'encoding',
}

/** Presentational attributes of formulas (MathML Core and MathML 3, chapters 2 and 3). */
const mathAttributes = `
  display displaystyle mathvariant mathsize mathcolor mathbackground scriptlevel stretchy symmetric fence separator form
  accent accentunder largeop movablelimits minsize maxsize lspace rspace linethickness bevelled depth voffset notation
  columnalign rowalign columnspacing rowspacing columnlines rowlines framespacing equalrows equalcolumns columnspan side
  subscriptshift superscriptshift`
const mathElements = `
  math mi mn mo mtext mspace ms mrow mfrac msqrt mroot mstyle merror mpadded mphantom msub msup msubsup munder mover
  munderover mmultiscripts mprescripts none mtable mtr mtd semantics`

/** Elements that may have only these attributes. */
export const onlyAttributes: Record<string, ReadonlySet<string>> = {
  input: new Set(['type', 'checked', 'disabled', 'dataSourcePosition']),
  svg: new Set(['viewBox', 'width', 'height', 'ariaHidden', 'className']),
  path: new Set(['fillRule', 'd']),
}

/** Elements that are useless or misleading without attributes: they are replaced by their content. */
export const needAttributes: ReadonlySet<string> = new Set(['a', 'img', 'input'])

const namesIn = (list: string) => list.trim().split(/\s+/)
const properties = (list: string, schema = html) => namesIn(list).map((name) => find(schema, name).property)

/** The allow-list for hast-util-sanitize. `sanitize.ts` checks classes, styles and addresses afterwards. */
export const schema: Schema = {
  allowComments: false,
  allowDoctypes: false,
  ancestors: {},
  attributes: {
    '*': properties(general),
    ...Object.fromEntries(Object.entries(special).map(([name, list]) => [name, properties(list)])),
    ...Object.fromEntries(namesIn(mathElements).map((name) => [name, properties(mathAttributes)])),
    svg: properties('viewBox', svg),
    path: properties('fill-rule d', svg),
  },
  clobber: [],
  clobberPrefix: '',
  protocols: {},
  required: {},
  strip: namesIn(withContent),
  tagNames: namesIn(elements),
}

/** Classes that stay in every mode: those of highlighted tokens, and the three states of list items. */
const plainClasses: Record<string, RegExp> = {
  span: /^\w{0,2}$/,
  li: /^(?:checked|unchecked|indeterminate)$/,
}

const attention = 'attention-(?:note|tip|important|warning|caution)'

/** Classes that the renderer writes, which stay in the modes with post-processing. */
const richClasses: Record<string, RegExp> = {
  a: /^(?:ref-issue|commit)$/,
  blockquote: new RegExp(`^attention-header ${attention}$`),
  code: /^(?:chroma language-[\w+#.-]+ display|language-math(?: display)?)$/,
  details: /^frontmatter-content$/,
  div: /^(?:code-block-container code-overflow-scroll|notebook(?:-[a-z]+)?)$/,
  li: /^(?:checked|unchecked|indeterminate|task-list-item)$/,
  pre: /^(?:code-block(?: is-loading)?|notebook-[a-z]+)$/,
  span: /^(?:\w{0,2}|emoji|color-preview|issue-keyword|term-[\w-]+(?: term-[\w-]+)*)$/,
  strong: new RegExp(`^${attention}$`),
  svg: new RegExp(`^(?:attention-icon ${attention} )?svg octicon-[a-z-]+$`),
  table: /^data-table$/,
  td: /^line-num$/,
  th: /^line-num$/,
}

/** Whether an element may keep its class attribute; `value` is the whole attribute. */
export function classAllowed(tagName: string, value: string, rich: boolean): boolean {
  return (rich ? richClasses : plainClasses)[tagName]?.test(value) ?? false
}
