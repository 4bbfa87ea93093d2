import { evaluate, type Parsed, parseExpression, type Scope, statusNames } from './expression.ts'
import { fail } from './fault.ts'
import { evaluateTemplate, hasExpression, parseTemplate } from './template.ts'
import { isTruthy } from './values.ts'

/** Maximum length in UTF-16 units: a condition is parsed at each evaluation, on the main thread. */
const maxLength = 21_000

/** Parses a job's `if` when the workflow is read; the evaluation follows later. @throws WorkflowFault */
export function checkCondition(condition: string): readonly Parsed[] {
  if (condition.length > maxLength) fail('a condition is too long')
  return hasExpression(condition) ? parseTemplate(condition) : [parseExpression(condition)]
}

/**
 * Whether a job may run, once the jobs it needs have ended. A condition without a status function is read as `success()
 * && (…)`.
 * @throws WorkflowFault when it cannot be evaluated
 */
export function conditionHolds(condition: string, scope: Scope & Required<Pick<Scope, 'status'>>): boolean {
  if (condition.trim() === '') return scope.status.success
  const functions = checkCondition(condition).flatMap(({ functions }) => [...functions])
  if (!statusNames.some((name) => functions.includes(name)) && !scope.status.success) return false
  if (!hasExpression(condition)) return isTruthy(evaluate(condition, scope))
  return isTruthy(evaluateTemplate(condition.trim(), scope))
}

/** Whether a condition uses a context. @throws WorkflowFault */
export const conditionUses = (condition: string, context: string) =>
  condition.trim() !== '' && checkCondition(condition).some(({ contexts }) => contexts.has(context))

/** Whether an expression in a text uses a context, such as `needs`. @throws WorkflowFault */
export const usesContext = (template: string, context: string) =>
  parseTemplate(template).some(({ contexts }) => contexts.has(context))
