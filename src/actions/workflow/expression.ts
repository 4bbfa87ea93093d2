import { data, Evaluator, type Expr, ExpressionError, Lexer, Parser } from '@actions/expressions'
import { TokenType } from '@actions/expressions/lexer'
import { fail, WorkflowFault } from './fault.ts'
import { Budget, boundedFunctions } from './functions.ts'
import type { Names, Value } from './values.ts'

/** The contexts and results that an expression may use. */
export interface Scope {
  readonly contexts: Names
  /** Results of `success()`, `failure()`, `cancelled()` and `always()`; absent: not available. */
  readonly status?: StatusResults
}

export interface StatusResults {
  readonly success: boolean
  readonly failure: boolean
  readonly cancelled: boolean
}

/** Names of all contexts; those that a scope does not define are empty. */
const contextNames = [
  'github',
  'gitea',
  'needs',
  'strategy',
  'matrix',
  'vars',
  'inputs',
  'env',
  'secrets',
  'steps',
  'job',
  'jobs',
  'runner',
]

export const statusNames = ['success', 'failure', 'cancelled', 'always'] as const
/** `success` and `failure` accept names of jobs, which runners ignore: they always concern all jobs that a job needs. */
const statusInfos = statusNames.map((name) => ({
  name,
  minArgs: 0,
  maxArgs: name === 'success' || name === 'failure' ? 255 : 0,
}))

/** Maximum length of an expression, in UTF-16 units. */
const maxLength = 21_000

/** A parsed expression and the names it uses. */
export interface Parsed {
  readonly tree: Expr
  /** Names of contexts and functions, in lower case. */
  readonly contexts: ReadonlySet<string>
  readonly functions: ReadonlySet<string>
}

/** Parses the source between `${{` and `}}`. @throws WorkflowFault */
export function parseExpression(source: string): Parsed {
  if (source.length > maxLength) fail('an expression is too long')
  return withFaults(source, () => {
    const { tokens } = new Lexer(source).lex()
    const names = { contexts: new Set<string>(), functions: new Set<string>() }
    tokens.forEach(({ type, lexeme }, index) => {
      if (type !== TokenType.IDENTIFIER || tokens[index - 1]?.type === TokenType.DOT) return
      const isCall = tokens[index + 1]?.type === TokenType.LEFT_PAREN
      names[isCall ? 'functions' : 'contexts'].add(lexeme.toLowerCase())
    })
    // The library would look these up on the prototype of every object.
    if (['constructor', '__proto__'].some((name) => names.functions.has(name))) fail('an unknown function')
    const tree: Expr | undefined = new Parser(tokens, contextNames, statusInfos).parse()
    if (!tree) return fail('an expression is empty')
    return { tree, ...names }
  })
}

/**
 * Evaluates an expression. `budget`: shared with other expressions.
 * @throws WorkflowFault when it cannot be evaluated or exceeds the budget
 */
export function evaluate(source: string, scope: Scope, budget: Budget = new Budget()): Value {
  const { tree } = parseExpression(source)
  return withFaults(source, () => {
    // Parsing also takes time.
    budget.take(source.length)
    const functions = boundedFunctions(budget, statusFunctions(scope.status))
    return new BudgetedEvaluator(tree, scope.contexts, functions, budget).evaluate()
  })
}

function statusFunctions(status: StatusResults | undefined): Map<string, () => Value> {
  return new Map(
    statusNames.map((name) => [
      name,
      () => {
        if (!status) throw new Error(`${name}() is not available here`)
        return new data.BooleanData(name === 'always' || status[name])
      },
    ]),
  )
}

/** Charges the values of all subexpressions to the budget, and reads undefined contexts as null. */
class BudgetedEvaluator extends Evaluator {
  readonly #budget: Budget
  readonly #contexts: Names

  constructor(
    tree: Expr,
    contexts: Names,
    functions: ConstructorParameters<typeof Evaluator>[2],
    budget: Budget,
  ) {
    super(tree, contexts, functions)
    this.#budget = budget
    this.#contexts = contexts
  }

  protected override eval(tree: Expr): Value {
    const value = super.eval(tree)
    this.#budget.spend(value)
    return value
  }

  override visitContextAccess(access: Parameters<Evaluator['visitContextAccess']>[0]): Value {
    return this.#contexts.get(access.name.lexeme) ?? new data.Null()
  }
}

/** Turns errors of the library into WorkflowFaults, including stack overflows that hostile texts cause. */
function withFaults<Result>(source: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof WorkflowFault) throw error
    const isReadable =
      error instanceof ExpressionError || (error instanceof Error && !(error instanceof TypeError))
    const reason = isReadable ? error.message.slice(0, 200) : 'it is not valid'
    return fail(
      `the expression ${JSON.stringify(source.trim().slice(0, 100))} cannot be evaluated: ${reason}`,
    )
  }
}
