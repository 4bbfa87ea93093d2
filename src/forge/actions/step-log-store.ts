import { allRows } from '../../db/rows.ts'
import type { Sql } from '../../db/sql.ts'

/** Where the lines of a step are in the log of its job, as its runner has reported. */
interface StepLines {
  number: number
  first: number
  lines: number
}

export const linesOfSteps = (sql: Sql, task: number) =>
  allRows(sql<StepLines[]>`
    select number, log_index as first, log_length as lines
    from forge.action_step
    where task_id = ${task}
    order by number`)

/** Lines of a log, from the number of the first one on. */
export interface LogPart {
  first: number
  lines: string[]
}

/**
 * The last stored lines before `end` and from `first` on, of about `most` bytes: whole parts as they are stored, at least
 * one.
 */
export async function lastLines(
  sql: Sql,
  task: number,
  { first, end, most }: { first: number; end: number; most: number },
): Promise<LogPart> {
  const parts = await sql<{ first: number; content: string }[]>`
    select first, content
    from (
      select first_line as first, content,
        sum(octet_length(content)) over (order by first_line desc) - octet_length(content) as behind
      from forge.action_log
      where task_id = ${task} and first_line < ${end}::bigint and first_line + lines > ${first}::bigint
    ) as part
    where behind < ${most}
    order by first`
  const start = parts[0]?.first ?? first
  const lines = parts.flatMap(({ content }) => content.split('\n').slice(0, -1))
  const from = Math.max(first, start)
  return { first: from, lines: lines.slice(from - start, Math.max(0, end - start)) }
}
