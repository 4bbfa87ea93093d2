import { usesContext } from './condition.ts'
import type { Scope } from './expression.ts'
import { attempt } from './fault.ts'
import { evaluateText } from './template.ts'
import { field, type Node } from './tree.ts'

/** The deployment environment of a job, which is shown and restricts nothing. */
export interface Environment {
  readonly name: string
  /** Where what the job deploys is found; undefined if absent, or if only the runner can evaluate it. */
  readonly url: string | undefined
}

/** The `environment` of a job, a name or a mapping; undefined if there is none whose name can be evaluated here. */
export function environmentOf(node: Node | undefined, scope: Scope): Environment | undefined {
  const isMapping = node?.kind === 'dict'
  const name = textOf(isMapping ? field(node, 'name') : node, scope)?.replaceAll(/\s+/g, ' ')
  if (!name) return undefined
  return { name, url: isMapping ? textOf(field(node, 'url'), scope) : undefined }
}

/** Longer names and addresses are not shown. */
const maxLength = 2048

/** Contexts that exist only while the job runs. */
const runnerContexts = ['steps', 'env', 'job', 'runner', 'secrets']

function textOf(node: Node | undefined, scope: Scope): string | undefined {
  if (node?.kind !== 'scalar') return undefined
  const filled = attempt(() =>
    runnerContexts.some((context) => usesContext(node.text, context))
      ? undefined
      : evaluateText(node.text, scope).trim(),
  )
  return filled.ok && (filled.value?.length ?? 0) <= maxLength ? filled.value : undefined
}
