import { evaluate, type Parsed, parseExpression, type Scope } from './expression.ts'
import { refuse } from './fault.ts'
import { fill, hasExpression, parseTemplate } from './template.ts'
import { isTruthy } from './values.ts'

/** UTF-16 units: it is read each time that it is evaluated, where others wait. */
const longest = 21_000

/** What a job's `if` is allowed to be: it is read when the workflow is, and evaluated later. @throws WorkflowFault */
export function checkCondition(condition: string): readonly Parsed[] {
  if (condition.length > longest) refuse('a condition is too long')
  return hasExpression(condition) ? parseTemplate(condition) : [parseExpression(condition)]
}

const statusNames = ['success', 'failure', 'cancelled', 'always']

/**
 * Whether a job may run, once the jobs it needs are done. A condition that asks for no status means that of
 * `success() && (…)`. @throws WorkflowFault when it cannot be evaluated
 */
export function conditionHolds(condition: string, scope: Scope & Required<Pick<Scope, 'status'>>): boolean {
  if (condition.trim() === '') return scope.status.success
  const asked = checkCondition(condition).flatMap(({ functions }) => [...functions])
  if (!asked.some((name) => statusNames.includes(name)) && !scope.status.success) return false
  if (!hasExpression(condition)) return isTruthy(evaluate(condition, scope))
  return isTruthy(fill(condition.trim(), scope))
}

/** Whether a text asks for a context, such as `needs`. @throws WorkflowFault */
export const asksFor = (template: string, context: string) =>
  parseTemplate(template).some(({ contexts }) => contexts.has(context))
