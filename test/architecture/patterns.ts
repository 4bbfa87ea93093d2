import {
  type Expression,
  isArrayLiteralExpression,
  isCallExpression,
  isIdentifier,
  isNewExpression,
  isNoSubstitutionTemplateLiteral,
  isPropertyAccessExpression,
  isRegularExpressionLiteral,
  isSpreadElement,
  isStringLiteral,
  isTaggedTemplateExpression,
  isTemplateExpression,
  isVariableDeclaration,
  type Node,
  type NoSubstitutionTemplateLiteral,
  type SourceFile,
  type TemplateHead,
  type TemplateLiteral,
  type TemplateMiddle,
  type TemplateTail,
} from 'typescript/unstable/ast'
import { API } from 'typescript/unstable/sync'

/** A regular expression as a file has it; `built`: by `new RegExp`. */
export interface Pattern {
  readonly source: string
  readonly flags: string
  readonly built: boolean
  /** Path and line: `src/a.ts:12`. */
  readonly place: string
}

/** All regular expressions of the files that `wanted` chooses by their path from the root of the project. */
export function patternsOf(wanted: (path: string) => boolean): Pattern[] {
  const root = process.cwd()
  const api = new API({ cwd: root })
  try {
    const [project] = api.updateSnapshot({ openProject: `${root}/tsconfig.json` }).getProjects()
    if (!project) throw new Error('the compiler opens no project')
    return project.rootFiles.flatMap((file) => {
      const path = file.slice(root.length + 1)
      const source = wanted(path) ? project.program.getSourceFile(file) : undefined
      return source ? patternsIn(source, path) : []
    })
  } finally {
    api.close()
  }
}

function patternsIn(file: SourceFile, path: string): Pattern[] {
  const constants = new Map<string, Expression>()
  const found: Pattern[] = []
  const line = (node: Node) => file.text.slice(0, node.end).split('\n').length
  const visit = (node: Node): void => {
    if (isVariableDeclaration(node) && isIdentifier(node.name) && node.initializer)
      constants.set(node.name.text, node.initializer)
    const place = () => `${path}:${line(node)}`
    if (isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/')
      const [source, flags] = [node.text.slice(1, end), node.text.slice(end + 1)]
      found.push({ source, flags, built: false, place: place() })
    }
    const isCall = isNewExpression(node) || isCallExpression(node)
    if (isCall && isIdentifier(node.expression) && node.expression.text === 'RegExp') {
      const known = { text: file.text, constants, place }
      const [source, flags = ''] = (node.arguments ?? []).map((argument) => textOf(argument, known))
      found.push({ source: source ?? '', flags, built: true, place: place() })
    }
    node.forEachChild(visit)
  }
  visit(file)
  return found
}

/** What is known of a file: its text, its variables by their names, and the place at hand. */
interface Known {
  readonly text: string
  readonly constants: ReadonlyMap<string, Expression>
  place(): string
}

/** The text that an expression of constants has. @throws Error where something in it is no constant of its file */
function textOf(node: Expression, known: Known): string {
  const inner = (each: Expression) => textOf(each, known)
  if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) return node.text
  if (isTemplateExpression(node)) return filled(node, ({ text }) => text, inner)
  if (isTaggedTemplateExpression(node) && isRaw(node.tag))
    return filled(node.template, (part) => rawText(part, known.text), inner)
  const constant = isIdentifier(node) ? known.constants.get(node.text) : undefined
  if (constant) return inner(constant)
  if (isCallExpression(node) && isPropertyAccessExpression(node.expression)) {
    const [mark] = node.arguments
    if (node.expression.name.text === 'join' && mark)
      return elementsOf(node.expression.expression).map(inner).join(inner(mark))
  }
  throw new Error(`${known.place()}: the pattern is made of more than constants of its file`)
}

const isRaw = (tag: Expression) =>
  isPropertyAccessExpression(tag) &&
  isIdentifier(tag.expression) &&
  `${tag.expression.text}.${tag.name.text}` === 'String.raw'

type Part = NoSubstitutionTemplateLiteral | TemplateHead | TemplateMiddle | TemplateTail

function filled(
  template: TemplateLiteral,
  written: (part: Part) => string,
  inner: (node: Expression) => string,
): string {
  if (!isTemplateExpression(template)) return written(template)
  const spans = template.templateSpans.map((span) => inner(span.expression) + written(span.literal))
  return written(template.head) + spans.join('')
}

/** A part of a template as it stands in the file, without the marks around it. */
function rawText(part: Part, file: string): string {
  const whole = file.slice(part.pos, part.end).trimStart()
  return whole.slice(1, whole.endsWith('${') ? -2 : -1)
}

function elementsOf(node: Expression): Expression[] {
  if (!isArrayLiteralExpression(node)) return [node]
  return node.elements.flatMap((each) => (isSpreadElement(each) ? elementsOf(each.expression) : [each]))
}
